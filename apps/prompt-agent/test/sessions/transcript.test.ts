import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { tableLines } from '../../src/output/terminal/table.ts';
import { countText, durationText, sizeText } from '../../src/output/quantities.ts';
import { toTranscript } from '../../src/sessions/transcript.ts';
import { transcriptText } from '../../src/sessions/transcript-text.ts';
import { SAMPLE, sampleTranscript } from './sample-session.ts';

test('a transcript has what was asked, answered and called, agents within their call, and how it ended', () => {
  verifies('cli.sessions.safe');
  const text = transcriptText(sampleTranscript());
  expect(text).toContain('> The tests of src/parse.ts fail. Find out why, and mend it.');
  expect(text).toContain('* run_command {"argv":["npm","test","--","parse"]} (3.6 s failed)');
  expect(text).toContain("  | -  return text.split('\\n').map(toRow);");
  expect(text).toMatch(/ {2}agent research:\n\n {4}\* search_text {"pattern":"split"} \(120 ms\)/);
  expect(text.match(/characters in all/g)).toHaveLength(1);
  expect(text).toContain('(5.2 million characters in all)');
  expect(text).toContain('* run_command {"argv":["deploy"]} (no result)');
  expect(text).toContain('! failed: The server answered 529: overloaded. Try again later.');
  expect(text).not.toContain('\u001b');
  expect(text).not.toContain('\u202e');
});

test('events of a newer release, of no run and of a damaged row are left out', () => {
  verifies('cli.sessions.safe');
  const event = (data: object) => ({ at: '', atMs: 1, path: [], event: { ...data } });
  const { runs } = toTranscript(SAMPLE, [
    event({ type: 'tool-end', callId: 'never-begun', text: 'x' }),
    event({ type: 'hologram-start' }),
    event({}),
    event({ type: 'run-start', provider: 1, prompts: 'x' }),
    event({ type: 'message-end', text: 'of no turn' }),
    event({ type: 'turn-start', turn: Number.NaN }),
    event({ type: 'message-end', text: ['x'], calls: [null, 1, 'x', { name: 7 }] }),
    event({ type: 'tool-start' }),
    { ...event({ type: 'turn-start', turn: 1 }), path: ['agent', 'no-such-call'] },
    event({ type: 'run-end', reason: 3, error: 'x' }),
  ]);
  expect(runs).toHaveLength(2);
  expect(runs[1]?.turns[0]?.calls).toHaveLength(4);
  expect(transcriptText({ session: SAMPLE, runs })).toContain('session 3f9a2c1b');
});

test('a table that is too wide cuts its last flexible columns first, by columns of the terminal', () => {
  verifies('cli.sessions.list');
  const columns = [
    { title: 'ID', cells: ['12345678'] },
    { title: 'NAME', cells: ['a name that is rather long'], isFlexible: true },
    { title: 'PROMPT', cells: ['日本語のとても長い文章です\u001b[2J'], isFlexible: true },
  ];
  expect(tableLines(columns, undefined)[1]).toContain('日本語のとても長い文章です\\x1b[2J');
  expect(tableLines(columns, 52)[1]).toBe('12345678  a name that is rather long  日本語のとて…');
  expect(tableLines(columns, 30)[1]).toBe('12345678  a name th…  日本語…');
});

test.each([
  [0.4, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [59_949, '59.9 s'],
  [59_960, '1 min 0 s'],
  [3_600_000, '1 h 0 min'],
])('%d milliseconds are %s', (ms, text) => {
  verifies('cli.sessions.list');
  expect(durationText(ms)).toBe(text);
});

test('lengths and counts are readable', () => {
  verifies('cli.sessions.page.cut');
  expect([countText(12_345), sizeText(999_999), sizeText(5_242_880)]).toEqual([
    '12,345',
    '999,999 characters',
    '5.2 million characters',
  ]);
});
