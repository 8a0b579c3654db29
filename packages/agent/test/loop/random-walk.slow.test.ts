import {
  KernelError,
  type Message,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
  type Provider,
  type ProviderEvent,
} from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { collect, createSteering, run, type RunResult, withHooks } from '../../src/index.ts';
import { expectSound, user } from '../support.ts';

const WALKS = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A small seeded generator (mulberry32): the same walk for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <T>(next: () => number, options: readonly T[]): T => options[Math.floor(next() * options.length)] as T;

/** The pending timers of the test itself: all others belong to the run. */
const ownTimers = new Set<object>();

function later(work: () => void, ms: number): void {
  const timer = setTimeout(() => {
    ownTimers.delete(timer);
    work();
  }, ms);
  ownTimers.add(timer);
}

const pauseMs = (ms: number) => new Promise<void>((resolve) => later(resolve, ms));

/** A provider that asks for the same calls again and again, in a cycle of one to three. */
function endless(next: () => number): Provider {
  const cycle = Array.from({ length: Math.ceil(next() * 3) }, () => pick(next, ['huge', 'throws', 'unknown', 'ok']));
  let turns = 0;
  return {
    name: 'endless',
    async *stream(): AsyncGenerator<ProviderEvent> {
      const name = cycle[turns % cycle.length] ?? 'huge';
      turns += 1;
      const call: ToolCall = { type: 'tool-call', id: `${turns}`, name, arguments: '{}' };
      yield { type: 'message-end', message: { role: 'assistant', content: [call] }, finishReason: 'tool-calls' };
    },
  };
}

/** A provider that does whatever a bad one does. */
function misbehaving(next: () => number): Provider {
  const call = (): ToolCall => ({
    type: 'tool-call',
    id: pick(next, ['', 'same', 'same', `${next()}`]),
    name: pick(next, ['ok', 'throws', 'hangs', 'late', 'slow', 'huge', 'unknown', '__proto__', '']),
    arguments: pick(next, ['{}', '', '{"a":', 'null', '{"__proto__":1}']),
  });
  return {
    name: 'misbehaving',
    async *stream({ signal }): AsyncGenerator<ProviderEvent> {
      if (next() < 0.3) await pauseMs(next() * 50);
      const kind = next();
      if (kind < 0.04) throw new KernelError('PROVIDER_NETWORK', 'The connection broke.');
      if (kind < 0.06) throw new TypeError('x is undefined');
      if (kind < 0.08) return;
      if (kind < 0.1) await new Promise(() => {});
      for (let index = 0; index < next() * 4; index += 1) yield { type: 'text-delta', text: 'x' };
      if (kind < 0.13) signal?.throwIfAborted();
      const calls = next() < 0.75 ? Array.from({ length: Math.ceil(next() * 5) }, call) : [];
      const content: Message & { role: 'assistant' } = {
        role: 'assistant',
        content: [...(next() < 0.7 ? [{ type: 'text' as const, text: 'x' }] : []), ...calls],
      };
      const finishReason = pick(next, [
        'stop',
        'tool-calls',
        'tool-calls',
        'other',
        'length',
        'content-filter',
        'refusal',
      ] as const);
      yield { type: 'message-end', message: content, finishReason, usage: { inputTokens: 1, outputTokens: 1 } };
      if (next() < 0.05) yield { type: 'text-delta', text: 'after the end' };
    },
  };
}

/** Tools that do whatever bad ones do, in a toolset that sometimes breaks its contract. */
function misbehavingTools(next: () => number): Toolset {
  const names = ['ok', 'throws', 'hangs', 'late', 'slow', 'huge'];
  const list = Object.freeze(
    names.map(
      (name) =>
        ({
          name,
          description: name,
          parameters: { type: 'object' },
          effect: pick(next, ['read', 'write', undefined] as const) ?? 'external',
        }) as const,
    ),
  );
  return toToolset({
    list: () => list,
    async call({ name }, { signal, onComplete, onProgress }): Promise<ToolResult> {
      onProgress?.('begun');
      if (name === 'throws') throw new Error('broken');
      if (name === 'hangs') await new Promise(() => {});
      if (name === 'slow') await pauseMs(next() * 200);
      if (name === 'huge') return { forLLM: 'x'.repeat(10_000) };
      if (name === 'late') {
        later(() => onComplete?.({ forLLM: 'late' }), next() * 100);
        return { forLLM: 'begun', async: true };
      }
      if (!names.includes(name)) return toErrorResult(new KernelError('TOOL_NOT_FOUND', `No tool "${name}".`));
      return { forLLM: signal.aborted ? 'stopped' : pick(next, ['a', 'b']) };
    },
  });
}

async function walk(seed: number): Promise<RunResult> {
  const next = random(seed);
  const stop = new AbortController();
  const steering = createSteering();
  const timeMs = 2000;
  if (next() < 0.2) later(() => stop.abort(new Error('stop')), next() * 300);
  if (next() < 0.2) later(() => steering.steer('Something else.'), next() * 100);
  if (next() < 0.1) steering.followUp('And then?');
  if (next() < 0.1) later(() => steering.stop(), next() * 300);
  const isEndless = next() < 0.1;
  const provider = isEndless ? endless(next) : misbehaving(next);
  const tools = misbehavingTools(next);
  const hook = next() < 0.1 ? pick(next, ['model', 'tool'] as const) : undefined;
  const end = () => (next() < 0.3 ? ({ action: 'stop', answer: 'Enough.' } as const) : undefined);
  const events = run({
    provider: hook === 'model' ? withHooks(provider, { beforeModel: end, afterModel: end }) : provider,
    model: 'm',
    messages: [user('Go')],
    tools: hook === 'tool' ? withHooks(tools, { beforeTool: end, afterTool: end }) : tools,
    signal: stop.signal,
    steering,
    limits: {
      turns: isEndless ? 25 : 8,
      timeMs,
      parallel: pick(next, [1, 2, 99]),
      onLimit: pick(next, ['stop', 'answer'] as const),
    },
    approve:
      next() < 0.3
        ? () => pick(next, [{ decision: 'allow' }, { decision: 'deny', reason: 'no' }, { decision: 'later' }] as const)
        : undefined,
  });
  const started = Date.now();
  const result = collect(checked(events));
  const state = { isOver: false };
  const settle = () => {
    state.isOver = true;
  };
  void result.then(settle, settle);
  while (!state.isOver) await vi.advanceTimersByTimeAsync(20);
  expect(Date.now() - started).toBeLessThanOrEqual(timeMs + 100);
  expect(vi.getTimerCount(), `seed ${seed}`).toBe(ownTimers.size);
  return result;
}

/** Every tool-start has one tool-end, and nothing follows the one run-end. */
async function* checked(events: ReturnType<typeof run>): ReturnType<typeof run> {
  const open = new Set<string>();
  let ends = 0;
  for await (const event of events) {
    if (ends > 0) throw new Error(`${event.type} after run-end`);
    if (event.type === 'run-end') ends += 1;
    if (event.type === 'tool-start') open.add(event.call.id);
    if (event.type === 'tool-end' && !open.delete(event.call.id)) throw new Error('a tool-end without its tool-start');
    yield event;
  }
  if (ends !== 1 || open.size > 0) throw new Error(`${ends} run-ends, ${open.size} calls without an end`);
}

test(`${WALKS} seeded walks with a misbehaving provider and misbehaving tools each end once, with a sound history and within the time limit`, async () => {
  verifies('agent.loop.history.pairs', 'agent.loop.events', 'agent.loop.reasons');
  const reasons = new Map<string, number>();
  for (let seed = 1; seed <= WALKS; seed += 1) {
    const result = await walk(seed);
    reasons.set(result.reason, (reasons.get(result.reason) ?? 0) + 1);
    expectSound(result.reason === 'approval' ? result.messages.slice(0, -1) : result.messages);
  }
  const all = ['aborted', 'approval', 'done', 'error', 'filtered', 'handled', 'length', 'limit', 'loop'];
  expect([...reasons.keys()].toSorted()).toEqual(all);
  // The timers of late tools of ended runs fire, and set no others.
  await vi.runAllTimersAsync();
  expect(vi.getTimerCount()).toBe(0);
});
