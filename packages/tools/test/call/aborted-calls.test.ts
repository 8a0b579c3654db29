import {
  asyncResult,
  errorResult,
  KernelError,
  type ToolContext,
  type ToolResult,
  toolResult,
  callTool,
} from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { verifies } from '@kernel/testing';
import { expect, test, describe } from 'vitest';
import { createRegistry } from '../../src/index.ts';
import { simple } from '../support.ts';
import { skipTime } from '../../../../test/setup/skip-time.ts';

/** Aborts a call while its handler waits for the signal; `end` is what the handler does then. */
async function aborted(end: () => unknown, effect: 'read' | 'write' = 'write'): Promise<ToolResult> {
  const entered = Promise.withResolvers<void>();
  const handler = async (_: unknown, { signal }: ToolContext): Promise<unknown> => {
    entered.resolve();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    return end();
  };
  const stop = new AbortController();
  const running = createRegistry([simple('save', { effect }, handler)]).execute('save', {}, { signal: stop.signal });
  await entered.promise;
  stop.abort(new Error('the user left'));
  return running;
}

const throws = (error: unknown) => (): never => {
  // oxlint-disable-next-line typescript/only-throw-error -- a handler throws whatever it likes
  throw error;
};

test.each([
  ['a text', () => 'row 1 of 10 written', 'row 1 of 10 written'],
  ['data', () => ({ rows: 1 }), '{"rows":1}'],
  ['a result', () => toolResult('row 1 of 10 written'), 'row 1 of 10 written'],
  ['nothing', () => {}, 'done'],
  ['a failure without a code', () => errorResult('stopped at row 1'), 'stopped at row 1'],
  ['the promise of an outcome', () => asyncResult('began'), 'began'],
])(
  'a handler that returns %s after an abort is not said to have finished, and its words are kept',
  async (_, end, text) => {
    verifies('tools.execute.abort.truth');
    const result = await aborted(end);
    expect(result).toMatchObject({ code: 'TOOL_CANCELLED', outcome: 'cancelled', isError: true });
    expect(result.forLLM).toContain('whether it has finished its work is unknown');
    expect(result.forLLM).toContain(`It returned: ${text}`);
    expect(result.async).toBeUndefined();
  },
);

test('what a handler knows about its own end after an abort is what the model reads', async () => {
  verifies('tools.execute.abort.truth');
  const stopped: ToolResult = {
    forLLM: 'Half of it was written.',
    isError: true,
    outcome: 'cancelled',
    data: { rows: 5 },
  };
  expect(await aborted(() => stopped)).toEqual({ ...stopped, code: 'TOOL_CANCELLED' });
  const whole: ToolResult = { forLLM: 'All of it was written.', outcome: 'done' };
  expect(await aborted(() => whole)).toEqual(whole);
  const coded: ToolResult = { forLLM: 'The disk is full.', isError: true, code: 'STORE_FAILED' };
  expect(await aborted(() => coded)).toEqual({ ...coded, outcome: 'cancelled' });
  const lost = await aborted(throws(new KernelError('OUTCOME_UNKNOWN', 'The line went dead.')));
  expect(lost).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' });
  expect(lost.forLLM).toContain('The line went dead.');
});

test('a handler that throws after an abort is not said to have done nothing, and its reason is kept', async () => {
  verifies('tools.execute.abort.truth');
  const failed = await aborted(throws(new Error('3 of 10 mails are sent')));
  expect(failed).toMatchObject({ code: 'TOOL_CANCELLED', outcome: 'cancelled' });
  expect(failed.forLLM).toBe(
    'TOOL_CANCELLED: "save" was cancelled and stopped; what it has done so far is unknown. It reported: 3 of 10 mails are sent',
  );
  const plain = throws(new DOMException('This operation was aborted', 'AbortError'));
  expect((await aborted(plain)).forLLM).toBe(
    'TOOL_CANCELLED: "save" was cancelled and stopped; what it has done so far is unknown.',
  );
  expect((await aborted(plain, 'read')).forLLM).toBe('TOOL_CANCELLED: "save" was cancelled and stopped.');
});

test('what an async generator returns when it is stopped is what the model reads', async () => {
  verifies('tools.execute.abort.truth');
  const entered = Promise.withResolvers<void>();
  const own: ToolResult = { forLLM: 'Wrote 3 of 5 files.', isError: true, outcome: 'cancelled' };
  async function* handler(): AsyncGenerator<string, ToolResult> {
    try {
      for (;;) {
        entered.resolve();
        yield 'a file';
        // oxlint-disable-next-line no-await-in-loop -- one after another
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    } finally {
      // oxlint-disable-next-line no-unsafe-finally -- what is tested
      return own;
    }
  }
  const stop = new AbortController();
  const running = createRegistry([simple('save', {}, handler)]).execute('save', {}, { signal: stop.signal });
  await entered.promise;
  stop.abort();
  expect(await running).toEqual({ ...own, code: 'TOOL_CANCELLED' });
});

test('what a handler says of its end is kept at its timeout as after an abort', async () => {
  verifies('tools.execute.abort.truth');
  const timedOut = async (end: () => unknown): Promise<ToolResult> => {
    const handler = async (_: unknown, { signal }: ToolContext): Promise<unknown> => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      return end();
    };
    return createRegistry([simple('save', {}, handler)], { timeoutMs: 5 }).execute('save', {});
  };
  const own: ToolResult = { forLLM: 'Wrote 3 of 5 files.', isError: true, outcome: 'timeout' };
  expect(await timedOut(() => own)).toEqual({ ...own, code: 'TOOL_TIMEOUT' });
  const said = await timedOut(() => 'row 1 of 10 written');
  expect(said).toMatchObject({ code: 'TOOL_TIMEOUT', outcome: 'timeout', isError: true });
  expect(said.forLLM).toBe(
    'TOOL_TIMEOUT: "save" did not finish within 5 ms and was stopped; whether it has finished its work is unknown. It returned: row 1 of 10 written',
  );
  expect((await timedOut(throws(new Error('3 mails are sent')))).forLLM).toBe(
    'TOOL_TIMEOUT: "save" did not finish within 5 ms and was stopped; what it has done so far is unknown. It reported: 3 mails are sent',
  );
});

test('neither the user nor the model is told that an aborted call has succeeded, or failed before it', async () => {
  verifies('tools.execute.abort.truth');
  const { forUser, forLLM } = await aborted(() => ({ forLLM: 'saved', forUser: 'Saved everything!' }));
  expect([forUser, forLLM]).toEqual([
    undefined,
    expect.stringContaining('whether it has finished its work is unknown'),
  ]);
  const returned = await aborted(() => new DOMException('This operation was aborted', 'AbortError'));
  expect(returned.forLLM).toBe('TOOL_CANCELLED: "save" was cancelled and stopped; what it has done so far is unknown.');
  expect((await aborted(() => ({ forLLM: 'z', outcome: 'weird' }))).outcome).toBe('cancelled');
});

test('a result that cannot be read does not say that an aborted call ran to its end', async () => {
  verifies('tools.execute.abort.truth');
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const result = await aborted(() => circle);
  expect([result.code, result.forLLM]).toEqual([
    'TOOL_CANCELLED',
    'TOOL_CANCELLED: "save" was cancelled while it ran; whether it has finished its work is unknown.',
  ]);
});

const explode = throws(new Error('do not look at me'));

test.each([
  ['an error whose name throws', Object.defineProperty(new Error('x'), 'name', { get: explode })],
  ['a proxy that throws', new Proxy({}, { get: explode, getPrototypeOf: explode, has: explode })],
])('an aborted call whose handler throws %s ends as cancelled', async (_, thrown) => {
  verifies('tools.execute.abort.truth');
  const { code, outcome } = await aborted(throws(thrown));
  expect([code, outcome]).toEqual(['TOOL_CANCELLED', 'cancelled']);
});

test('a handler that had ended before the abort keeps its result', async () => {
  verifies('tools.execute.abort.truth');
  const stop = new AbortController();
  const registry = createRegistry([simple('save', {}, async () => 'written')]);
  registry.onEvent((event) => event.type === 'call-end' && stop.abort());
  expect(await registry.execute('save', {}, { signal: stop.signal })).toEqual({ forLLM: 'written' });
});

test('a mounted toolset and a mounted registry say in their own words how an aborted call ended', async () => {
  verifies('tools.execute.abort.truth');
  const entered = Promise.withResolvers<void>();
  const registry = createRegistry();
  const own: ToolResult = { forLLM: 'The server was told to stop.', isError: true, code: 'TOOL_CANCELLED' };
  const until = async (signal: AbortSignal): Promise<void> => {
    entered.resolve();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  };
  const list = [simple('save').tool];
  const call = async (_: unknown, { signal }: { signal: AbortSignal }) => until(signal).then(() => own);
  registry.mount('remote', toToolset({ list: () => list, call }));
  const stop = new AbortController();
  const running = registry.execute('remote_save', {}, { signal: stop.signal });
  await entered.promise;
  stop.abort();
  expect(await running).toEqual({ ...own, outcome: 'cancelled' });
});

describe('in virtual time', () => {
  skipTime();

  test('a call that is aborted before another attempt says how the last one ended, not that it never started', async () => {
    verifies('tools.execute.abort.truth');
    const stop = new AbortController();
    let entered = 0;
    const fails = (): never => {
      entered += 1;
      throw Object.assign(new Error('try again'), { retryable: true });
    };
    const registry = createRegistry([simple('load', { effect: 'read' }, fails)], { retries: 1 });
    const started = async (): Promise<void> => {
      if (entered > 0) stop.abort();
    };
    const call = { type: 'tool-call', id: '1', name: 'load', arguments: '{}' } as const;
    const result = await callTool(registry, call, { signal: stop.signal, started });
    expect([entered, result.forLLM]).toEqual([1, 'TOOL_FAILED: "load" failed: try again']);
  });

  test('started is awaited for each attempt at a call', async () => {
    verifies('durable.beforeHandler');
    const seen: string[] = [];
    const fails = (): never => {
      seen.push('handler');
      throw Object.assign(new Error('try again'), { retryable: true });
    };
    const registry = createRegistry([simple('load', { effect: 'read' }, fails)], { retries: 1 });
    const call = { type: 'tool-call', id: '1', name: 'load', arguments: '{}' } as const;
    const { signal } = new AbortController();
    await callTool(registry, call, { signal, started: () => void seen.push('started') });
    expect(seen).toEqual(['started', 'handler', 'started', 'handler']);
  });
});
