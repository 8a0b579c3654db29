import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { slopeOf } from './report.ts';
import { soak } from './soak.ts';

test('every kind of scenario ends as it must on six wires, and the process exits on its own with nothing left open', async () => {
  verifies('soak.nothing.left');
  const { played, outcomes, unexpected, openSockets, code } = await soak({ scenarios: 204 });
  expect(unexpected).toEqual([]);
  expect(openSockets).toBe(0);
  expect(code).toBe(0);
  expect(Object.keys(outcomes).length).toBeGreaterThanOrEqual(17);
  // Each kind on each wire, streamed and whole.
  expect(played).toBeGreaterThanOrEqual(204);
});

test('a slope is MiB a minute of what comes after the second', () => {
  verifies('soak.slope');
  const samples = Array.from({ length: 121 }, (_, at) => ({
    seconds: at * 5,
    heapBytes: (at * 5 < 120 ? 900 - at : (at * 5) / 60) * 1024 * 1024,
    rssBytes: 1,
  }));
  expect(slopeOf(samples, 'heapBytes')).toBeCloseTo(1, 5);
  expect(slopeOf(samples, 'rssBytes')).toBeCloseTo(0, 5);
});
