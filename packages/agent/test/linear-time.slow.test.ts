import type { Message, ToolCall } from '@kernel/protocol';
import { timeGrowth, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { fromConfig } from '../src/config/index.ts';
import { digestPrefixes } from '../src/history/digest-history.ts';
import { callIdsOf, withUniqueCallIds } from '../src/history/call-ids.ts';
import { repairHistory } from '../src/history/repair-history.ts';
import { canonicalArguments } from '../src/limits/canonical-arguments.ts';
import { createLoopGuard } from '../src/limits/loop-guard.ts';
import { createMemorySession, loadHistory } from '../src/index.ts';
import { parseLog, toLine } from '../src/session/log-format.ts';
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
  expect(await timeGrowth({ make, work: readConfig, largest: 32 * KIB })).toBeLessThan(3);
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
  const growth = await timeGrowth({
    make: (size) => encoder.encode(make(size)),
    work: (bytes) => attempt(() => parseLog(bytes, 'a.jsonl')),
    largest: 128 * KIB,
  });
  expect(growth).toBeLessThan(3);
});

test.each<readonly [string, (size: number) => string]>([
  ['keys', (size) => keys(size, '1')],
  ['the same key', (size) => `{${many(size, '"a":1,')}"a":1}`],
  ['white space', (size) => many(size, ' \n')],
  ['backslashes', (size) => `{"a":"${many(size, '\\\\')}`],
  ['nested arrays', (size) => many(size / 8, '[') + many(size / 8, ']')],
])('arguments of %s are compared in linear time', async (_, make) => {
  verifies('agent.linear');
  expect(await timeGrowth({ make, work: (text) => canonicalArguments(text), largest: 64 * KIB })).toBeLessThan(3);
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
  expect(await timeGrowth({ make, work, largest: 4 * KIB })).toBeLessThan(3);
});

test('a reply whose calls have no ids, or those of earlier calls, gets its ids in linear time', async () => {
  verifies('agent.linear');
  for (const id of [() => '', () => 'same', (at: number) => `call_${at}`]) {
    const work = (message: ReturnType<typeof reply>): unknown => withUniqueCallIds(message, callIdsOf([message]));
    expect(await timeGrowth({ make: (size) => reply(calls(size, id)), work, largest: 8 * KIB })).toBeLessThan(3);
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
  expect(await timeGrowth({ make: inTurns, work: record, largest: 4 * KIB })).toBeLessThan(3);
  expect(await timeGrowth({ make: (size) => [calls(size, String)], work: record, largest: 4 * KIB })).toBeLessThan(3);
});
