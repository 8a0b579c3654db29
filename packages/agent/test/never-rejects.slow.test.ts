import type { AgentEvent, Message, Provider, RunEnd, ToolCall, Toolset } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRandom, oddPromise, oddResult, oddValue, pick } from '../../../test/setup/odd-values.ts';
import {
  createMemorySession,
  run,
  runSession,
  type Session,
  tapEvents,
  withAsyncPolicy,
  withHooks,
} from '../src/index.ts';
import { expectSound, user } from './support.ts';

const RUNS = 300;
const CALLS_PER_RUN = 20;
/** How many runs go on at once. */
const BATCH = 100;
const ABORT_MS = 10;
const SEED = 20_261_123;

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
const { stackTraceLimit } = Error;
beforeEach(() => {
  unhandled.length = 0;
  Error.stackTraceLimit = 0; // most of the time would go into stack traces
  process.on('unhandledRejection', onUnhandled);
  process.on('uncaughtException', onUnhandled);
});
afterEach(() => {
  Error.stackTraceLimit = stackTraceLimit;
  process.off('unhandledRejection', onUnhandled);
  process.off('uncaughtException', onUnhandled);
});

/** A function of the caller that returns, promises or throws odd values; most often what `sound` makes. */
type Oddly = (sound?: () => unknown, share?: number) => () => never;

function createOddly(random: () => number): Oddly {
  return (sound = () => undefined, share = 0.5) =>
    (): never => {
      if (random() >= share) return sound() as never;
      const value = random() < 0.3 ? oddDecision(random) : random() < 0.3 ? oddResult(random) : oddValue(random);
      if (random() < 0.2) throw value;
      return oddPromise(random, value, setImmediate) as never;
    };
}

/** What a hook or an approval decides, with odd fields. */
function oddDecision(random: () => number): unknown {
  const decision: Record<string, unknown> = {};
  for (const name of ['action', 'decision'])
    decision[name] = pick(random, ['change', 'answer', 'deny', 'stop', 'allow', 'edit', 'later']);
  for (const name of ['call', 'result', 'reason', 'answer', 'arguments', 'request', 'end', 'text', 'digest'])
    if (random() < 0.5) decision[name] = random() < 0.5 ? oddResult(random) : oddValue(random);
  return decision;
}

function callsOf(index: number): ToolCall[] {
  return Array.from({ length: CALLS_PER_RUN }, (_, at) => ({
    type: 'tool-call',
    id: `call-${index}-${at}`,
    name: at % 3 === 0 ? 'writes' : 'reads',
    arguments: '{}',
  }));
}

function createProvider(index: number): Provider {
  let turns = 0;
  return {
    name: 'scripted',
    async *stream() {
      turns += 1;
      const text = { type: 'text', text: 'Done.' } as const;
      const content = turns === 1 ? callsOf(index) : [text];
      yield { type: 'message-end', message: { role: 'assistant', content }, finishReason: 'stop' };
    },
  };
}

const TOOLS = (['read', 'write'] as const).map((effect) => ({
  name: `${effect}s`,
  description: 'Odd.',
  parameters: { type: 'object' },
  effect,
}));

function createTools(random: () => number, oddly: Oddly): Toolset {
  const call = oddly(() => ({ forLLM: 'ok', ...(random() < 0.1 && { async: true }) }), 0.2);
  let tools: Toolset = toToolset({
    list: () => TOOLS,
    call: (_call, { onComplete, onProgress }) => {
      if (random() < 0.1) onProgress?.(oddValue(random) as string);
      if (random() < 0.1) onComplete?.(oddResult(random) as never);
      return call();
    },
  });
  if (random() < 0.3)
    tools = withAsyncPolicy(tools, { mode: pick(random, ['inject', 'await', 'ignore']), onLateResult: oddly() });
  for (let count = Math.floor(random() * 3); count > 0; count -= 1)
    tools = withHooks(tools, pick(random, [{ beforeTool: oddly() }, { afterTool: oddly() }, hooksOf(oddly)]));
  return tools;
}

const hooksOf = (oddly: Oddly) => ({ beforeTool: oddly(), afterTool: oddly() });

function createSession(oddly: Oddly): Session {
  const memory = createMemorySession();
  return {
    ...memory,
    entries: oddly(() => memory.entries(), 0.1),
    append: (entries) => oddly(() => memory.append(entries), 0.1)(),
  };
}

/** Reads a run of odd parts, and tells how it ended. */
async function readRun(random: () => number, index: number, signal: AbortSignal): Promise<string> {
  const oddly = createOddly(random);
  const tools = createTools(random, oddly);
  const plain = createProvider(index);
  const isHooked = random() < 0.2;
  const provider = isHooked ? withHooks(plain, { beforeModel: oddly(), afterModel: oddly() }) : plain;
  const messages: readonly Message[] = [user('Go')];
  const repeats = random() < 0.2 ? { normalizeResult: oddly() } : {};
  const approval = random() < 0.3 && { approve: oddly(() => ({ decision: random() < 0.2 ? 'later' : 'allow' }), 0.3) };
  const options = { provider, model: 'm', messages, tools, limits: { turns: 3, repeats }, signal, ...approval };
  const hasSession = random() < 0.4;
  const events = hasSession ? runSession({ ...options, session: createSession(oddly) }) : run(options);
  const sinks = random() < 0.2 ? [oddly(), oddly()] : [];
  const seen: AgentEvent[] = [];
  try {
    for await (const event of tapEvents(events, sinks)) seen.push(event);
  } catch (error) {
    // A session that fails before the run begins is thrown.
    if (
      !hasSession ||
      seen.length > 0 ||
      !(error instanceof Error) ||
      !/STORE_FAILED|CONFIG_INVALID/.test(codeOf(error))
    )
      throw new Error('a run threw', { cause: error });
    return `thrown ${codeOf(error)}`;
  }
  expectOneEnd(seen, hasSession);
  return (seen.at(-1) as RunEnd).reason;
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');

/** One `run-end`, last; and one result for each call, in the events and in the messages, unless the store of the run failed or calls wait. */
function expectOneEnd(events: readonly AgentEvent[], hasSession: boolean): void {
  const open = new Set<string>();
  const ended = new Set<string>();
  for (const event of events) {
    if (event.type === 'tool-start') open.add(event.call.id);
    if (event.type !== 'tool-end') continue;
    if (!open.delete(event.call.id) || ended.has(event.call.id)) throw new Error(`${event.call.id} ended twice`);
    ended.add(event.call.id);
    if (typeof event.result.forLLM !== 'string') throw new Error(`${event.call.id} has no result`);
  }
  const ends = events.filter((event) => event.type === 'run-end');
  const [end] = ends;
  if (ends.length !== 1 || end !== events.at(-1)) throw new Error(`${ends.length} ends of a run`);
  if (hasSession || end === undefined) return;
  if (open.size > 0) throw new Error(`${open.size} calls did not end`);
  if (end.reason !== 'approval') expectSound(end.messages);
}

test('6,000 calls in runs with odd hooks, approvals, listeners and sessions each settle with one result', async () => {
  verifies('agent.run.neverRejects');
  const random = createRandom(SEED);
  const seen = new Map<string, number>();
  for (let first = 0; first < RUNS; first += BATCH) {
    const controller = new AbortController();
    const runs = Array.from({ length: BATCH }, (_, at) => readRun(random, first + at, controller.signal));
    setTimeout(() => controller.abort(oddValue(random)), ABORT_MS);
    // oxlint-disable-next-line no-await-in-loop
    for (const end of await Promise.all(runs)) seen.set(end, (seen.get(end) ?? 0) + 1);
  }
  await new Promise(setImmediate);
  expect(unhandled.length).toBe(0);
  expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(RUNS);
  expect([...seen.keys()]).toEqual(
    expect.arrayContaining(['done', 'aborted', 'handled', 'error', 'approval', 'thrown STORE_FAILED']),
  );
});
