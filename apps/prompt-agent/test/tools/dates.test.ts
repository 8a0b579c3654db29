import { callTool } from '@kernel/protocol';
import { createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { datetimeTool } from '../../src/tools/datetime.ts';

/** A Monday. */
const NOW = '2026-11-23T22:30:00Z';

async function ask(input: object, now = NOW): Promise<unknown> {
  const registry = createRegistry([datetimeTool(() => Date.parse(now))]);
  const call = {
    type: 'tool-call',
    id: '1',
    name: 'datetime',
    arguments: JSON.stringify({ timeZone: 'UTC', ...input }),
  } as const;
  return (await callTool(registry, call, { signal: new AbortController().signal })).forLLM;
}

test.each([
  ['2026-12-24', 'Thursday, 2026-12-24, in 31 days'],
  ['today', 'Monday, 2026-11-23, today'],
  ['Tomorrow', 'Tuesday, 2026-11-24, in 1 day'],
  ['yesterday', 'Sunday, 2026-11-22, 1 day ago'],
  ['2020-02-29', 'Saturday, 2020-02-29, 2459 days ago'],
  ['friday', 'Friday, 2026-11-27, in 4 days'],
  ['Sunday', 'Sunday, 2026-11-29, in 6 days'],
  ['christmas', 'Friday, 2026-12-25, in 32 days'],
  ["New Year's Day", 'Friday, 2027-01-01, in 39 days'],
  ['halloween', 'Sunday, 2027-10-31, in 342 days'],
  ['24 December', 'Thursday, 2026-12-24, in 31 days'],
  ['Dec 24th, 2027', 'Friday, 2027-12-24, in 396 days'],
  ['march 1', 'Monday, 2027-03-01, in 98 days'],
])('the day %s is %s', async (date, answer) => {
  verifies('cli.offline.dates');
  expect(await ask({ date })).toBe(answer);
});

test.each(['never', '2026-02-30', '31 april', '29 feb', '24/12/2026', 'easter', '0999-01-01', 'dec', '12', 'may 5 6'])(
  'there is no certain day %j',
  async (date) => {
    verifies('cli.offline.dates');
    expect(await ask({ date })).toMatch(/TOOL_FAILED: "/);
  },
);

test.each([
  ['3 hours', 'Tuesday, 2026-11-24, 01:30:00 (UTC)'],
  ['-90 minutes', 'Monday, 2026-11-23, 21:00:00 (UTC)'],
  ['2 weeks', 'Monday, 2026-12-07, in 14 days'],
  ['-1 day', 'Sunday, 2026-11-22, 1 day ago'],
  ['1 year', 'Tuesday, 2027-11-23, in 365 days'],
  ['-9 months', 'Monday, 2026-02-23, 273 days ago'],
])('%s from now is %s', async (offset, answer) => {
  verifies('cli.offline.dates');
  expect(await ask({ offset })).toBe(answer);
});

test('a month after the 31st is the last day of the next month', async () => {
  verifies('cli.offline.dates');
  expect(await ask({ offset: '1 month' }, '2027-01-31T00:00:00Z')).toBe('Sunday, 2027-02-28, in 28 days');
});

test('weeks are counted in the calendar, also where the clocks change', async () => {
  verifies('cli.offline.dates', 'offline.dates.calendar');
  const input = { offset: '2 weeks', timeZone: 'America/New_York' };
  expect(await ask(input, '2026-10-25T03:30:00Z')).toBe('Saturday, 2026-11-07, in 14 days');
  expect(await ask(input, '2026-10-25T04:30:00Z')).toBe('Sunday, 2026-11-08, in 14 days');
});

test('today is the day in the zone', async () => {
  verifies('cli.offline.dates');
  expect(await ask({ date: 'today', timeZone: 'Asia/Tokyo' })).toBe('Tuesday, 2026-11-24, today');
});

test('days are counted between two days', async () => {
  verifies('cli.offline.dates');
  expect(await ask({ since: '2026-01-01', date: '2026-02-01' })).toBe('Sunday, 2026-02-01, 31 days after 2026-01-01');
  expect(await ask({ since: '2026-02-01', date: '2026-01-01' })).toBe(
    'Thursday, 2026-01-01, 31 days before 2026-02-01',
  );
});

test.each(['999999 years', '-2000 years', '-999999 weeks'])(
  'what is beyond four-digit years is refused: %s',
  async (offset) => {
    verifies('cli.offline.dates');
    expect(await ask({ offset })).toContain('beyond the years 1000 to 9999');
  },
);
