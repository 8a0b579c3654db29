import type { AgentEvent, Message, ToolCall } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { test } from 'vitest';
import { expectLinear } from '../../../test/setup/growth.ts';
import { fromConfig } from '../src/config/index.ts';
import { digestPrefixes } from '../src/history/digest-history.ts';
import { callIdsOf, withUniqueCallIds } from '../src/history/call-ids.ts';
import { repairHistory } from '../src/history/repair-history.ts';
import { canonicalArguments } from '../src/limits/canonical-arguments.ts';
import { createLoopGuard } from '../src/limits/loop-guard.ts';
import { createMemorySession, loadHistory } from '../src/index.ts';
import { jsonPieces } from '../src/output/json-pieces.ts';
import { parseLog, toLine } from '../src/session/log-format.ts';
import { toAgUiResponse, toResponse, toTextResponse, toUiMessageStreamResponse } from '../src/web/index.ts';
import { user } from './support.ts';

const KIB = 1024;
const many = (size: number, unit: string): string => unit.repeat(Math.ceil(size / unit.length));
const keys = (size: number, value: string): string =>
  `{${Array.from({ length: Math.ceil(size / 10) }, (_, at) => `"k${at}":${value}`).join()}}`;

const attempt = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};
const readConfig = (text: string): unknown => attempt(() => fromConfig(text, { env: { A: 'a' } }));

test.each<readonly [string, (size: number) => string]>([
  ['the beginnings of variables', (size) => `{"name":"${many(size, '${A')}"}`],
  ['dollar signs', (size) => `{"name":"${many(size, '$')}"}`],
  ['variables', (size) => `{"name":"${many(size, '${A}')}"}`],
  ['variables that are not set', (size) => `{"name":"${many(size, '${B}')}"}`],
  ['unknown keys', (size) => keys(size, '1')],
  ['unknown keys in a block', (size) => `{"client":${keys(size, '1')}}`],
  ['agents', (size) => `{"agents":${keys(size, '{}')}}`],
  ['a long key', (size) => `{"${many(size, 'max_')}":1}`],
  ['a duration', (size) => `{"client":{"timeout":"${many(size, '1m')}"}}`],
  ['the digits of a duration', (size) => `{"client":{"timeout":"${many(size, '1')}"}}`],
  ['nested arrays', (size) => `{"name":${many(size / 32, '[')}${many(size / 32, ']')}}`],
])('a config with %s is read in linear time', async (_, make) => {
  verifies('agent.linear');
  await expectLinear({ make, work: readConfig, largest: 8 * KIB });
});

const encoder = new TextEncoder();
const header = toLine({ session: 1, id: 'a' });
const line = toLine({ type: 'message', message: user('a') });

test.each<readonly [string, (size: number) => string]>([
  ['messages', (size) => header + many(size, line)],
  ['a last line that was cut off', (size) => header + many(size, '{"type":')],
  ['bytes that are no session', (size) => many(size, '{"session')],
  ['empty lines', (size) => header + many(size, '\n')],
  ['a long line', (size) => `${header}${toLine({ type: 'message', message: user(many(size, '\\"')) })}`],
])('a session file of %s is read in linear time', async (_, make) => {
  verifies('agent.linear');
  await expectLinear({
    make: (size) => encoder.encode(make(size)),
    work: (bytes) => attempt(() => parseLog(bytes, 'a.jsonl')),
    largest: 8 * KIB,
  });
});

test.each<readonly [string, (size: number) => string]>([
  ['keys', (size) => keys(size, '1')],
  ['the same key', (size) => `{${many(size, '"a":1,')}"a":1}`],
  ['white space', (size) => many(size, ' \n')],
  ['backslashes', (size) => `{"a":"${many(size, '\\\\')}`],
  ['nested arrays', (size) => many(size / 8, '[') + many(size / 8, ']')],
])('arguments of %s are compared in linear time', async (_, make) => {
  verifies('agent.linear');
  await expectLinear({ make, work: (text) => canonicalArguments(text), largest: 8 * KIB });
});

const calls = (count: number, id: (at: number) => string): readonly ToolCall[] =>
  Array.from({ length: Math.ceil(count) }, (_, at) => ({
    type: 'tool-call',
    id: id(at),
    name: 'a',
    arguments: `{"n":${at}}`,
  }));
const reply = (content: readonly ToolCall[]) => ({ role: 'assistant', content }) as const;

test.each<readonly [string, (size: number) => readonly Message[]]>([
  ['calls without results', (size) => [user('a'), reply(calls(size, String))]],
  ['calls of one id', (size) => [user('a'), reply(calls(size, () => 'same'))]],
  ['replies of one call each', (size) => calls(size, String).flatMap((call) => [user('a'), reply([call])])],
  [
    'results without calls',
    (size) => calls(size, String).map(({ id, name }) => ({ role: 'tool', toolCallId: id, name, content: 'a' })),
  ],
])('a history with %s is repaired and digested in linear time', async (_, make) => {
  verifies('agent.linear');
  const work = async (messages: readonly Message[]): Promise<void> => {
    digestPrefixes(repairHistory(messages));
    await loadHistory(createMemorySession(messages.map((message) => ({ type: 'message', message }))));
  };
  await expectLinear({ make, work, largest: 4 * KIB });
});

test('a reply whose calls have no ids, or those of earlier calls, gets its ids in linear time', async () => {
  verifies('agent.linear');
  for (const id of [() => '', () => 'same', (at: number) => `call_${at}`]) {
    const work = (message: ReturnType<typeof reply>): unknown => withUniqueCallIds(message, callIdsOf([message]));
    await expectLinear({ make: (size) => reply(calls(size, id)), work, largest: 8 * KIB });
  }
});

test('the guard against repeats takes linear time, for calls of one turn and of many', async () => {
  verifies('agent.linear');
  const record = (turns: readonly (readonly ToolCall[])[]): void => {
    const guard = createLoopGuard({ ignore: ['nonce'] });
    for (const turn of turns) {
      turn.forEach((call) => guard.refusal(call));
      guard.record(turn.map((call) => [call, { forLLM: 'same' }]));
    }
  };
  const inTurns = (size: number) => calls(size, String).map((call) => [call]);
  await expectLinear({ make: inTurns, work: record, largest: 4 * KIB });
  await expectLinear({ make: (size) => [calls(size, String)], work: record, largest: 4 * KIB });
});

test.each<[string, (length: number) => string]>([
  ['brackets that are never closed', (length) => '{'.repeat(length)],
  ['brackets that are nested', (length) => '['.repeat(length / 2) + 'x' + ']'.repeat(length / 2)],
  ['brackets of both kinds', (length) => '[{'.repeat(length / 4) + '}]'.repeat(length / 4)],
  ['quotes that are escaped and never closed', (length) => `{"${'\\"'.repeat(length / 2)}`],
  ['many pieces', (length) => '[x] {} '.repeat(length / 7)],
  ['pieces within brackets that are never closed', (length) => '{ {}'.repeat(length / 4)],
])('%s are read in linear time', async (_what, make) => {
  verifies('output.pieces');
  await expectLinear({ make, work: (text) => [...jsonPieces(text)], largest: 64 * KIB });
});

test('a client that reads fast gets many events in linear time', async () => {
  verifies('web.linear');
  await expectLinear({
    make: (size): AgentEvent[] => Array.from({ length: size }, () => ({ type: 'text-delta', text: 'abc' })),
    work: async (events) => {
      for (const toBody of [toResponse, toTextResponse, toUiMessageStreamResponse, toAgUiResponse]) {
        async function* all(): AsyncGenerator<AgentEvent> {
          yield* events;
        }
        await toBody(all()).text();
      }
    },
    largest: 2 * KIB,
  });
});
