import { type SessionRecord, toRecord } from '../../src/sessions/session-record.ts';
import { type Transcript, toTranscript } from '../../src/sessions/transcript.ts';

type EventData = Readonly<Record<string, unknown>>;

interface SessionEvent {
  readonly atMs: number;
  readonly path: readonly string[];
  readonly data: EventData;
}

const START_MS = Date.UTC(2026, 4, 12, 9, 30);

/** The record of the sample. */
export const SAMPLE: SessionRecord = {
  ...toRecord({}),
  number: 1,
  id: '3f9a2c1b0d4e4f6a8b7c6d5e4f3a2b1c',
  folder: '/home/ada/parser',
  title: 'The tests of src/parse.ts fail. Find out why, and mend it.',
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  flags: { bundle: 'code_agent' },
  createdMs: START_MS,
  changedMs: START_MS + 60_000,
  turns: 7,
  calls: 8,
  inputTokens: 48_210,
  outputTokens: 2_954,
  cost: 0.1893,
  state: 'error',
};

const DIFF = `--- a/src/parse.ts
+++ b/src/parse.ts
@@ -12,7 +12,7 @@
 export function parse(text: string): Row[] {
-  return text.split('\\n').map(toRow);
+  const lines = text.split(/\\r?\\n/);
+  return lines.filter((line) => line !== '').map(toRow);
 }`;

/** A call with its arguments as text. */
const call = (id: string, name: string, given: object) => ({ id, name, arguments: JSON.stringify(given) });

const reply = (text: string, calls: readonly ReturnType<typeof call>[], input: number, output: number): EventData => ({
  type: 'message-end',
  text,
  calls,
  finishReason: calls.length > 0 ? 'tool-calls' : 'stop',
  usage: { inputTokens: input, outputTokens: output },
});

/** Two runs: parallel calls, a diff, an agent below a call, a call that failed, one of 5 MB, and a run that failed. */
export function sampleEvents(): readonly SessionEvent[] {
  const events: SessionEvent[] = [];
  let nowMs = START_MS;
  let path: readonly string[] = [];
  const at = (afterMs: number, data: EventData): void => {
    nowMs += afterMs;
    events.push({ atMs: nowMs, path, data });
  };
  const end = (afterMs: number, callId: string, durationMs: number, text: string, more: object = {}): void =>
    at(afterMs, { type: 'tool-end', callId, durationMs, text, ...more });
  const read = call('c1', 'read_file', { path: 'src/parse.ts' });
  const search = call('c2', 'search_text', { pattern: 'parse\\(', glob: '**/*.test.ts' });
  const tests = call('c3', 'run_command', { argv: ['npm', 'test', '--', 'parse'] });
  at(0, { type: 'run-start', provider: 'anthropic', model: 'claude-sonnet-4-5', prompts: [SAMPLE.title] });
  at(12, { type: 'turn-start', turn: 1, tools: 9 });
  at(2100, {
    ...reply('I look at the parser and run its tests.', [read, search, tests], 4120, 212),
    reasoning: 'The failure may come from line endings. I should look at the code and at the tests at the same time.',
  });
  for (const each of [read, search, tests]) at(2, { type: 'tool-start', call: each });
  end(38, 'c1', 38, 'export function parse(text: string): Row[] {\n  return text.split("\\n").map(toRow);\n}');
  end(212, 'c2', 250, 'test/parse.test.ts:4: parse(text)\ntest/parse.test.ts:9: parse("a\\r\\n")\n');
  end(3400, 'c3', 3650, 'FAIL test/parse.test.ts\n  expected 2 rows, got 3', { isError: true, outcome: 'failed' });
  at(5, { type: 'turn-start', turn: 2, tools: 9 });
  const edit = call('c4', 'edit_file', {
    path: 'src/parse.ts',
    old: "text.split('\\n')",
    new: 'text.split(/\\r?\\n/)',
  });
  const agent = call('c5', 'research', { prompt: 'Which other files split text at line ends?' });
  at(1800, reply('The parser knows only one kind of line ending. I change that:', [edit, agent], 5210, 340));
  at(3, { type: 'tool-start', call: edit });
  at(1, { type: 'tool-start', call: agent });
  at(1, { type: 'approval-request', callId: 'c4', name: 'edit_file' });
  end(900, 'c4', 902, 'Changed src/parse.ts: 1 replacement.', { forUser: DIFF });
  path = ['research', 'c5'];
  at(4, { type: 'turn-start', turn: 1, tools: 3 });
  const inner = call('i1', 'search_text', { pattern: 'split' });
  at(1100, reply('', [inner], 800, 40));
  at(1, { type: 'tool-start', call: inner });
  end(120, 'i1', 120, 'src/lines.ts:3');
  at(2, { type: 'turn-start', turn: 2, tools: 3 });
  at(700, reply('Only `src/lines.ts`, which is right already.', [], 900, 30));
  at(1, { type: 'run-end', reason: 'done', turns: 2, usage: { inputTokens: 1700, outputTokens: 70 } });
  path = [];
  end(3, 'c5', 2834, 'Only `src/lines.ts`, which is right already.');
  at(2, { type: 'turn-start', turn: 3, tools: 9 });
  at(
    1500,
    reply(
      'The tests pass now. **What was wrong:** `parse` split the text at `\\n` only, so a file with Windows line endings gave one more row.\n\n```ts\nconst lines = text.split(/\\r?\\n/);\n```\n\n## What I changed\n\nOne line in `src/parse.ts`; see the diff above.',
      [],
      6100,
      180,
    ),
  );
  at(1, { type: 'run-end', reason: 'done', turns: 3, usage: { inputTokens: 15_430, outputTokens: 732 } });
  at(30_000, { type: 'run-start', provider: 'anthropic', model: 'claude-sonnet-4-5', prompts: HOSTILE_PROMPT });
  at(10, { type: 'turn-start', turn: 4, tools: 9 });
  const hostile = { id: 'c6', name: HOSTILE, arguments: HOSTILE };
  const large = call('c7', 'read_file', { path: 'dump.sql' });
  const lost = call('c8', 'run_command', { argv: ['deploy'] });
  at(1300, reply(HOSTILE, [hostile, large, lost], 9000, 90));
  for (const each of [hostile, large, lost]) at(1, { type: 'tool-start', call: each });
  end(12, 'c6', 12, HOSTILE, { isError: true, outcome: 'denied' });
  end(400, 'c7', 412, 'x'.repeat(100_000), { length: 5_242_880 });
  at(2200, {
    type: 'run-end',
    reason: 'error',
    error: { code: 'PROVIDER_HTTP', message: 'The server answered 529: overloaded.', hint: 'Try again later.' },
    turns: 1,
    usage: { inputTokens: 9000, outputTokens: 90 },
  });
  return events;
}

/** What must not become a part of the page. */
export const HOSTILE =
  '</script><script>globalThis.stolen = 1</script><img src=x onerror="globalThis.stolen = 2"> [link](javascript:alert(1)) \u001b[31m\u202e "\'&amp;';

const HOSTILE_PROMPT = [`Show me ${HOSTILE}`];

/** The sample as it is shown. */
export function sampleTranscript(): Transcript {
  return shown(sampleEvents());
}

/** One call whose arguments are nested as deep as their length allows: indented, each level would be longer than the one around it. */
export function deepTranscript(): Transcript {
  const deep = { id: 'd', name: 'deep', arguments: '['.repeat(9000) + ']'.repeat(9000) };
  return shown([
    { atMs: START_MS, path: [], data: { type: 'turn-start', turn: 1, tools: 1 } },
    { atMs: START_MS, path: [], data: reply('', [deep], 1, 1) },
  ]);
}

function shown(events: readonly SessionEvent[]): Transcript {
  const stored = events.map(({ atMs, path, data }) => ({
    at: new Date(atMs).toISOString(),
    atMs,
    path,
    event: { ...data },
  }));
  return toTranscript(SAMPLE, stored);
}
