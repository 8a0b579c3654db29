import { callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { createRegistry } from '@kernel/tools';
import { expect, test } from 'vitest';
import { datetimeTool } from '../../src/tools/datetime.ts';
import { promptHere, workspace } from '../program.ts';

const ask = async (now: string, input: object) =>
  (
    await callTool(
      createRegistry([datetimeTool(() => Date.parse(now))]),
      { type: 'tool-call', id: '1', name: 'datetime', arguments: JSON.stringify({ timeZone: 'UTC', ...input }) },
      { signal: new AbortController().signal },
    )
  ).forLLM;

const MONDAY = '2026-11-23T10:00:00Z';
const FRIDAY = '2026-11-27T10:00:00Z';
const SUNDAY = '2026-11-29T10:00:00Z';

test.each([
  [MONDAY, 'friday', 'Friday, 2026-11-27, in 4 days'],
  [
    MONDAY,
    'next friday',
    'The coming Friday: Friday, 2026-11-27, in 4 days\nThe Friday of next week: Friday, 2026-12-04, in 11 days',
  ],
  [MONDAY, 'last friday', 'Friday, 2026-11-20, 3 days ago'],
  [MONDAY, 'next monday', 'Monday, 2026-11-30, in 7 days'],
  [MONDAY, 'last monday', 'Monday, 2026-11-16, 7 days ago'],
  [FRIDAY, 'friday', 'Today is a Friday: Friday, 2026-11-27, today\nThe next one: Friday, 2026-12-04, in 7 days'],
  [FRIDAY, 'next friday', 'Friday, 2026-12-04, in 7 days'],
  [FRIDAY, 'last friday', 'Friday, 2026-11-20, 7 days ago'],
  [
    FRIDAY,
    'last thursday',
    'The Thursday before today: Thursday, 2026-11-26, 1 day ago\nThe Thursday of last week: Thursday, 2026-11-19, 8 days ago',
  ],
  [SUNDAY, 'next friday', 'Friday, 2026-12-04, in 5 days'],
  [SUNDAY, 'next sunday', 'Sunday, 2026-12-06, in 7 days'],
  [SUNDAY, 'last sunday', 'Sunday, 2026-11-22, 7 days ago'],
])('on %s the day "%s" is told with all that it may mean', async (now, date, told) => {
  verifies('offline.dates.weekdays');
  expect(await ask(now, { date })).toBe(told);
});

test('a fraction of an hour is told to the minute; of a day, it is refused', async () => {
  verifies('offline.dates.fractions');
  expect(await ask(MONDAY, { offset: '1.5 hours' })).toBe('Monday, 2026-11-23, 11:30:00 (UTC)');
  expect(await ask(MONDAY, { offset: '-0.25 minutes' })).toBe('Monday, 2026-11-23, 09:59:45 (UTC)');
  const called = async (text: string) => (await promptHere(['--log', text])).stderr;
  expect(await called('what time is it in 1.5 hours?')).toContain('datetime({"offset":"1.5 hours"})');
  expect(await called('half an hour from now')).toContain('datetime({"offset":"30 minutes"})');
  expect(await promptHere(['in 1.5 weeks'])).toMatchObject({ code: 3 });
  expect((await promptHere(['which files changed in the last 1.5 hours'])).code).toBe(3);
});

test.each([
  ['when is next friday?', 'next friday'],
  ['what was the date last tuesday', 'last tuesday'],
  ['how many days until next monday', 'next monday'],
])('%s is understood', async (text, date) => {
  verifies('offline.dates.weekdays');
  const { code, stderr } = await promptHere(['--log', text]);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`datetime({"date":"${date}"})`)]);
});

test.each(['next banana', 'next friday evening', 'next friday in Tokyo', 'not next friday', 'the friday after next'])(
  '%s is refused',
  async (text) => {
    verifies('offline.dates.weekdays');
    expect(await promptHere([text])).toMatchObject({ code: 3, stdout: '' });
  },
);

const FILES = { 'a.ts': '', 'src/b.ts': '', 'src/c.md': '', 'dist/d.ts': '', '.gitignore': 'dist\n' };

test.each([
  [
    'how many .ts files',
    '2 files match "*.ts", without what .gitignore leaves out and what usually holds credentials.\n',
  ],
  [
    'how many .ts files are there?',
    '2 files match "*.ts", without what .gitignore leaves out and what usually holds credentials.\n',
  ],
  [
    'how many markdown files are in src',
    '1 file matches "*.{md,markdown}", without what .gitignore leaves out and what usually holds credentials.\n',
  ],
  ['how many .rs files are there', 'No file matches "*.rs", apart from what .gitignore leaves out.\n'],
])('%s is answered with their number', async (text, answer) => {
  verifies('offline.files.count');
  expect(await promptHere([text], { cwd: workspace(FILES) })).toMatchObject({ code: 0, stdout: answer });
});

test('a refusal suggests requests as people write them', async () => {
  verifies('offline.refusal.examples');
  const { stderr } = await promptHere(['write a poem']);
  const [, tries = ''] = /^Try: (.*)$/m.exec(stderr) ?? [];
  expect(tries).toContain('"convert 5 miles to km"');
  expect(tries).toContain('"how many lines are in notes.md"');
  expect(tries).not.toMatch(/VALUE|PATH|FROM/);
});

test('how many files of which nothing is known are refused', async () => {
  verifies('offline.files.count');
  for (const text of ['how many big files are there', 'how many .ts files have errors', 'how many .ts files changed']) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await promptHere([text], { cwd: workspace(FILES) })).toMatchObject({ stdout: '' });
  }
});
