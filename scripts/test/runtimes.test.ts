import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { absenceReport, absentRuntimes } from '../../test/setup/runtimes.ts';

const without =
  (...missing: readonly string[]) =>
  (file: string) =>
    !missing.some((name) => file.startsWith(name));

test('in CI a runtime that was not installed is a failure which names it', () => {
  verifies('runtimes.ci');
  const { isFailure, lines } = absenceReport({ platform: 'linux-x64', has: without('deno/', 'miniflare/') });
  expect(isFailure).toBe(true);
  expect(lines).toEqual([
    expect.stringContaining('RUNTIME MISSING: Deno was not installed'),
    expect.stringContaining('RUNTIME MISSING: workerd was not installed'),
  ]);
});

test('a platform without a binary of a runtime is named, and is no failure', () => {
  verifies('runtimes.ci');
  const host = { platform: 'freebsd-x64', has: without('node22/', 'node24/', 'deno/', 'miniflare/') };
  expect(absentRuntimes(host)).toEqual({ noBinary: ['Node 22', 'Node 24', 'Deno', 'workerd'], failed: [] });
  const { isFailure, lines } = absenceReport(host);
  expect(isFailure).toBe(false);
  expect(lines).toHaveLength(4);
  expect(lines[2]).toContain('no binary of Deno for freebsd-x64');
  expect(absenceReport({ ...host, has: () => false }).lines.at(-1)).toContain('RUNTIME MISSING: Bun');
});

test('with all of them there is nothing to say', () => {
  verifies('runtimes.ci');
  expect(absenceReport({ platform: 'linux-x64', has: () => true })).toEqual({ lines: [], isFailure: false });
});
