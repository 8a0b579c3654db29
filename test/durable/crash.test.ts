import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { crash } from './crash.ts';

test('workers that are killed and frozen lose nothing, double nothing and use no other key', async () => {
  verifies('durable.crash');
  const report = await crash({ kills: 12, workers: 2, stop: true, naive: false });
  expect(report).toMatchObject({ lost: 0, doubled: 0, otherKeys: 0, unsound: 0, done: report.runs });
  expect(report.unknown).toBeGreaterThan(0);
});

test('the judge sees a payment that is doubled', async () => {
  verifies('durable.crash');
  expect((await crash({ kills: 4, workers: 1, stop: false, naive: true })).doubled).toBeGreaterThan(0);
});
