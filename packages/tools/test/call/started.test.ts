import { callTool, type PreparedCall, wrapCalls } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { bindTool, createRegistry } from '../../src/index.ts';

const parameters = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
const toolCall = (id: string, args = '{"n":1}') => ({ type: 'tool-call', id, name: 'pay', arguments: args }) as const;

function payments(handler: (callId: string) => unknown, options: { retries?: number; effect?: 'write' | 'read' } = {}) {
  const { effect = 'write', retries } = options;
  const tool = { name: 'pay', description: '', parameters, effect } as const;
  return createRegistry([bindTool(tool, (_, { callId }) => handler(callId), { ...(retries && { retries }) })]);
}

function context(started: () => void | Promise<void>, signal = new AbortController().signal) {
  return { signal, started };
}

test('started is awaited behind the queue of the tool, right before its handler', async () => {
  verifies('durable.beforeHandler');
  const seen: string[] = [];
  const { promise, resolve } = Promise.withResolvers<string>();
  const registry = payments((id) => (seen.push(`handler ${id}`), id === 'a' ? promise : 'ok'));
  const [a, b] = ['a', 'b'].map((id) =>
    callTool(
      registry,
      toolCall(id),
      context(() => void seen.push(`before ${id}`)),
    ),
  );
  await new Promise(setImmediate);
  expect(seen).toEqual(['before a', 'handler a']);
  resolve('ok');
  await Promise.all([a, b]);
  expect(seen).toEqual(['before a', 'handler a', 'before b', 'handler b']);
});

test('started is awaited for a call that nothing limits', async () => {
  verifies('durable.beforeHandler');
  const seen: string[] = [];
  const registry = payments((id) => seen.push(`handler ${id}`), { effect: 'read' });
  await callTool(
    registry,
    toolCall('a'),
    context(() => void seen.push('started')),
  );
  expect(seen).toEqual(['started', 'handler a']);
});

test('a call whose arguments are refused has no started', async () => {
  verifies('durable.beforeHandler');
  let count = 0;
  const result = await callTool(
    payments(() => 'ok'),
    toolCall('a', '{"n":"many"}'),
    context(() => void (count += 1)),
  );
  expect([result.code, count]).toEqual(['ARGUMENTS_INVALID', 0]);
});

test('where started rejects or the call is aborted meanwhile, the handler is not entered', async () => {
  verifies('durable.beforeHandler');
  let entered = 0;
  const registry = payments(() => (entered += 1));
  const failed = await callTool(
    registry,
    toolCall('a'),
    context(() => Promise.reject(new Error('disk full'))),
  );
  expect(failed.forLLM).toContain('disk full');
  const controller = new AbortController();
  const aborted = await callTool(
    registry,
    toolCall('b'),
    context(() => controller.abort(), controller.signal),
  );
  expect([aborted.code, entered]).toEqual(['TOOL_CANCELLED', 0]);
});

test.each([true, undefined])(
  'started is awaited once for a mounted call whose toolset says awaitsStarted: %s',
  async (awaitsStarted) => {
    verifies('durable.beforeHandler');
    const seen: string[] = [];
    const inner = payments((id) => seen.push(`handler ${id}`));
    const outer = createRegistry();
    const without = (prepared: PreparedCall): PreparedCall => ({
      ...prepared,
      awaitsStarted,
      run: (running) => prepared.run(awaitsStarted === true ? running : { ...running, started: undefined }),
    });
    outer.mount('m', wrapCalls(inner, without));
    await callTool(
      outer,
      { ...toolCall('a'), name: 'm_pay' },
      context(() => void seen.push('started')),
    );
    expect(seen).toEqual(['started', 'handler a']);
  },
);
