import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { findRuntime } from '../setup/runtimes.ts';
import { crash } from './crash.ts';

test('killed and frozen workers lose nothing, repeat nothing and change no key', async () => {
  verifies('codemode.engines', 'durable.crash');
  const report = await crash({ kills: 6, workers: 2, stop: true, naive: false });
  expect(report).toMatchObject({ lost: 0, duplicated: 0, changedKeys: 0, invalidHistories: 0, done: report.runs });
  expect(report.unknown).toBeGreaterThan(0);
});

test('the crash test notices a payment that is entered twice', async () => {
  verifies('codemode.engines', 'durable.crash');
  expect((await crash({ kills: 4, workers: 1, stop: false, naive: true })).duplicated).toBeGreaterThan(0);
});

// Installed by `npm install --no-save --prefix test/runtimes/binaries`.
const node22 = findRuntime('Node 22', ['durable.crash22']);
test('killed workers on Node 22 lose and repeat nothing either', node22.options, async () => {
  verifies('codemode.engines', 'durable.crash22');
  const report = await crash({ kills: 4, workers: 2, stop: true, naive: false, execPath: node22.path });
  expect(report).toMatchObject({ lost: 0, duplicated: 0, changedKeys: 0, invalidHistories: 0, done: report.runs });
});
