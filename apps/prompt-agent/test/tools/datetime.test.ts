import { callTool } from '@kernel/protocol';
import { createRegistry } from '@kernel/tools';
import { expect, test } from 'vitest';
import { datetimeTool } from '../../src/tools/datetime.ts';

const registry = createRegistry([datetimeTool(() => Date.parse('2026-07-01T23:30:00Z'))]);
const ask = async (timeZone?: string) =>
  (
    await callTool(
      registry,
      { type: 'tool-call', id: '1', name: 'datetime', arguments: JSON.stringify({ timeZone }) },
      { signal: new AbortController().signal },
    )
  ).forLLM;

test('date, time, weekday, zone and offset are those of the zone', async () => {
  expect(await ask('Asia/Tokyo')).toBe('Thursday, 2026-07-02, 08:30:00 (Asia/Tokyo, UTC+09:00)');
  expect(await ask('America/New_York')).toBe('Wednesday, 2026-07-01, 19:30:00 (America/New_York, UTC-04:00)');
  expect(await ask('UTC')).toBe('Wednesday, 2026-07-01, 23:30:00 (UTC)');
});

test('an unknown zone is an error that names it', async () => {
  expect(await ask('Mars/Olympus')).toContain('"Mars/Olympus" is not a known time zone');
});
