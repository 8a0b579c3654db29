import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { crash } from './crash.ts';

test('killed workers and a killed server lose nothing, repeat nothing and change no key', async () => {
  verifies('codemode.engines', 'restate.crash');
  const report = await crash({ kills: 2, workers: 2, stop: false, server: true, naive: false });
  expect(report).toMatchObject({ lost: 0, duplicated: 0, changedKeys: 0, done: report.runs });
  expect(report.serverKills).toBeGreaterThan(0);
  expect(report.unknown).toBeGreaterThan(0);
});

test('the crash test notices a payment that is entered twice', async () => {
  verifies('restate.crash');
  expect((await crash({ kills: 1, workers: 1, stop: false, server: false, naive: true })).duplicated).toBeGreaterThan(
    0,
  );
});
