import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { crash } from './crash.ts';

test('workers and a server that are killed lose nothing, double nothing and use no other key', async () => {
  verifies('restate.crash');
  const report = await crash({ kills: 4, workers: 2, stop: false, server: true, naive: false });
  expect(report).toMatchObject({ lost: 0, doubled: 0, otherKeys: 0, done: report.runs });
  expect(report.serverKills).toBeGreaterThan(0);
  expect(report.unknown).toBeGreaterThan(0);
});

test('the judge sees a payment that is doubled', async () => {
  verifies('restate.crash');
  expect((await crash({ kills: 2, workers: 1, stop: false, server: false, naive: true })).doubled).toBeGreaterThan(0);
});
