import { callTool, type ToolCall, type ToolContext } from '@kernel/protocol';
import { isToolResult, toModelText, toResultJson } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bindTool, createRegistry, type RegistryOptions, type ToolRegistry } from '../../src/index.ts';
import {
  createRandom,
  oddPromise,
  oddResult,
  oddValue,
  pick,
  strangePromise,
} from '../../../../test/setup/odd-values.ts';

const CASES = 5_000;
/** How many calls run at once. */
const BATCH = 500;
const SEED = 20_261_122;

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

/** Runs work soon, all of it in one timer. */
function createLater(): (work: () => void) => void {
  let waiting: (() => void)[] = [];
  return (work) => {
    waiting.push(work);
    if (waiting.length > 1) return;
    setImmediate(() => {
      const due = waiting;
      waiting = [];
      for (const each of due) each();
    });
  };
}

function createOddRegistry(random: () => number, ended: string[]): ToolRegistry {
  const later = createLater();
  const odd = (): unknown => (random() < 0.4 ? oddResult(random) : oddValue(random));
  const fail = (): never => {
    throw odd();
  };
  const oddly = (): unknown => {
    if (random() < 0.1) fail();
    return random() < 0.2 ? strangePromise(random, odd()) : oddPromise(random, odd(), later);
  };
  const handler = (_input: unknown, context: ToolContext): unknown => {
    for (let count = Math.floor(random() * 3); count > 0; count -= 1) {
      if (random() < 0.3) context.onProgress?.(odd() as string);
      if (random() < 0.3) context.onComplete?.(odd() as never);
    }
    if (random() < 0.1) later(() => context.onComplete?.(odd() as never));
    return oddly();
  };
  const calls = { type: 'object', properties: { a: { type: 'integer' } } } as const;
  const tool = { description: 'Odd.', parameters: calls };
  const limited = { concurrency: { max: 50, key: oddly as () => string } };
  const output = { type: 'object', properties: { value: { type: 'string' } } } as const;
  const options: RegistryOptions = {
    timeoutMs: 5,
    detail: random() < 0.5,
    onListenerError: oddly,
    ...(random() < 0.5 && { secrets: ['sk-secret-in-the-deep', 'text'] }),
    ...(random() < 0.5 && { resultLimit: 10, results: { keep: oddly as () => string, read: oddly as () => string } }),
    ...(random() < 0.3 && { capabilities: { missing: oddly } as never }),
  };
  const registry = createRegistry(
    [
      bindTool({ ...tool, name: 'read', effect: 'read' }, handler, { retries: 1 }),
      bindTool({ ...tool, name: 'external' }, handler),
      bindTool({ ...tool, name: 'limited' }, handler, limited),
      bindTool({ ...tool, name: 'output', outputSchema: output }, handler),
      bindTool({ ...tool, name: 'requires', metadata: { requires: ['odd'] } }, handler),
    ],
    options,
  );
  registry.onEvent((event) => {
    if (event.type === 'call-end') ended.push(event.callId);
    return (random() < 0.1 ? oddly() : undefined) as void;
  });
  registry.subscribe(() => oddly() as void);
  return registry;
}

test('5,000 odd calls each settle with exactly one result, and nothing is left unhandled', async () => {
  verifies('tools.call.neverRejects');
  const random = createRandom(SEED);
  const never = new AbortController();
  const seen = new Map<string, number>();
  for (let first = 0; first < CASES; first += BATCH) {
    const ended: string[] = [];
    const registry = createOddRegistry(random, ended);
    const toolset = random() < 0.2 ? registry.view() : random() < 0.2 ? registry.snapshot() : registry;
    const controllers: AbortController[] = [];
    const results = Array.from({ length: BATCH }, (_, index) => {
      const controller = random() < 0.1 ? new AbortController() : never;
      if (controller !== never) controllers.push(controller);
      const context: Parameters<typeof callTool>[2] = {
        signal: controller.signal,
        onProgress: () => oddValue(random),
        onComplete: () => {
          throw oddValue(random);
        },
      };
      const name = pick(random, ['read', 'external', 'limited', 'output', 'requires', 'absent']);
      const args = random() < 0.9 ? '{"a":1}' : (oddValue(random) as string);
      const call: ToolCall = { type: 'tool-call', id: `call-${first + index}`, name, arguments: args };
      return callTool(toolset, call, context);
    });
    setImmediate(() => controllers.forEach((controller) => controller.abort(oddValue(random))));
    // oxlint-disable-next-line no-await-in-loop
    for (const result of await Promise.all(results)) {
      if (!isToolResult(result)) throw new Error('not a result');
      toResultJson(result);
      toModelText(result);
      const kind = result.code ?? 'ok';
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
    expect(ended.length).toBe(new Set(ended).size);
  }
  await new Promise(setImmediate);
  expect(unhandled.length).toBe(0);
  expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(CASES);
  expect([...seen.keys()]).toEqual(expect.arrayContaining(['ok', 'TOOL_FAILED', 'TOOL_TIMEOUT', 'TOOL_NOT_FOUND']));
});
