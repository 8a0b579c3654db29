import { callTool, isToolResult, KernelError, toolResult, type Toolset, wrapCalls } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { verifies } from '@kernel/testing';
import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createRegistry, defineTool } from '../../src/index.ts';
import { context, preparedCall, simple, toolCall } from '../support.ts';

const parameters = {
  type: 'object',
  properties: { path: { type: 'string' }, depth: { type: 'integer' } },
  required: ['path'],
} as const;

/** A `write` tool that keeps what its handler gets, and strips what its schema does not mention. */
function recorder(name = 'remove', rest = {}) {
  const inputs: unknown[] = [];
  const handler = (input: unknown) => {
    inputs.push(input);
    return 'ok';
  };
  const binding = simple(name, { parameters, effect: 'write', ...rest }, handler, { unknownProperties: 'strip' });
  return { inputs, binding };
}

afterEach(() => void vi.useRealTimers());

test('prepare gives the parsed, repaired and stripped arguments and the tool, and run runs exactly those', async () => {
  verifies('tools.call.approved');
  const { inputs, binding } = recorder();
  const registry = createRegistry([binding]);
  const prepared = await preparedCall(registry, toolCall('remove', ' {"path": "a", "depth": "2", "extra": 1} '));
  expect(inputs).toEqual([]);
  expect(prepared.tool).toBe(registry.list()[0]);
  expect(JSON.parse(prepared.arguments)).toEqual({ path: 'a', depth: 2 });
  const result = await prepared.run(context());
  expect(result.forLLM).toContain('ok');
  expect(result.repairs).toHaveLength(1);
  expect(inputs).toEqual([{ path: 'a', depth: 2 }]);
});

test('prepare gives what a schema library makes of the arguments, and the handler gets that very value', async () => {
  verifies('tools.call.approved');
  let made = 0;
  const inputs: unknown[] = [];
  const tool = defineTool({
    name: 'pay',
    description: 'Pays.',
    effect: 'external',
    input: z.object({ amount: z.number().default(5), key: z.string().default(() => `key-${(made += 1)}`) }),
    handler: (input) => void inputs.push(input),
  });
  const prepared = await preparedCall(createRegistry([tool]), toolCall('pay'));
  const shown: unknown = JSON.parse(prepared.arguments);
  expect(shown).toEqual({ amount: 5, key: expect.stringMatching(/^key-/) });
  await prepared.run(context());
  expect(inputs).toEqual([shown]);
});

test('values that JSON lacks are shown as the nearest that it has', async () => {
  const input = z.object({ n: z.string() }).transform(({ n }) => ({ n: BigInt(n), tags: new Set(['a']) }));
  const registry = createRegistry([
    defineTool({ name: 'big', description: 'Big.', effect: 'write', input, handler: () => 'ok' }),
  ]);
  const { arguments: text } = await preparedCall(registry, toolCall('big', { n: '9007199254740993' }));
  expect(JSON.parse(text)).toEqual({ n: '9007199254740993', tags: ['a'] });
});

test('arguments that no JSON can be made of are still a call, and are shown as the library got them', async () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const input = z.object({ to: z.string() }).transform(() => circle);
  const registry = createRegistry([defineTool({ name: 'odd', description: 'Odd.', input, handler: () => 'ok' })]);
  const prepared = await preparedCall(registry, toolCall('odd', { to: 'bob' }));
  expect(prepared.arguments).toBe('{"to":"bob"}');
  expect((await prepared.run(context())).forLLM).toBe('ok');
});

class Account {
  readonly #name: string;
  constructor(name: string) {
    this.#name = name;
  }
  name = (): string => this.#name;
}

test.each<[string, (text: string) => unknown]>([
  ['a regular expression', (text) => new RegExp(text)],
  ['an instance of a class', (text) => new Account(text)],
  ['an error', (text) => new Error(text)],
  ['a function', (text) => () => text],
  ['a symbol', (text) => Symbol(text)],
  ['a number that JSON has not', (text) => text.length * Infinity],
  ['a date that is none', (text) => new Date(text)],
  ['bytes', (text) => new TextEncoder().encode(text)],
  ['a boxed value', (text) => Object(text) as unknown],
  ['a member that does not show', (text) => Object.defineProperty({}, 'to', { value: text })],
  ['a member without a name', (text) => ({ [Symbol.for('to')]: text })],
  ['a list with a member', (text) => Object.assign([1], { text })],
  ['a list with nothing in it', () => [undefined]],
  ['a map with such a key', (text) => new Map([[new Account(text), 1]])],
  ['an object with a text of its own', (text) => ({ toJSON: () => 'harmless', text })],
])('%s, of which JSON does not say all, is shown as the library got it', async (_what, transform) => {
  const input = z.object({ to: z.string().transform(transform), amount: z.number() });
  const registry = createRegistry([
    defineTool({ name: 'pay', description: 'Pays.', effect: 'write', input, handler: () => 'ok' }),
  ]);
  for (const to of ['bob', 'eve']) {
    const prepared = await preparedCall(registry, toolCall('pay', { to, amount: 5 })); // oxlint-disable-line no-await-in-loop
    expect(JSON.parse(prepared.arguments)).toEqual({ to, amount: 5 });
  }
});

test('a text that a library makes of the arguments is not taken for the object that it describes', async () => {
  const input = z.union([z.object({ to: z.string() }), z.object({ raw: z.string() }).transform(({ raw }) => raw)]);
  const registry = createRegistry([defineTool({ name: 'odd', description: 'Odd.', input, handler: () => 'ok' })]);
  const { arguments: text } = await preparedCall(registry, toolCall('odd', { raw: '{"to":"bob"}' }));
  expect(JSON.parse(text)).toBe('{"to":"bob"}');
});

test('prepare gives the failed result of a call that cannot run, and listeners hear of it once', async () => {
  verifies('tools.call.approved');
  const { inputs, binding } = recorder();
  const registry = createRegistry([binding]);
  const types: string[] = [];
  registry.onEvent((event) => types.push(event.type));
  expect(registry.prepare(toolCall('remove', { path: 1, depth: {} }), context())).toMatchObject({
    isError: true,
    code: 'ARGUMENTS_INVALID',
  });
  expect(types.splice(0)).toEqual(['call-start', 'call-end']);
  expect(registry.prepare(toolCall('nothing'), context())).toMatchObject({ code: 'TOOL_NOT_FOUND' });
  expect(types.splice(0)).toEqual(['call-start', 'call-end']);
  expect(registry.view({ include: [] }).prepare(toolCall('remove'), context())).toMatchObject({
    code: 'TOOL_NOT_FOUND',
  });
  const aborted = registry.prepare(toolCall('remove', { path: 'a' }), context({ signal: AbortSignal.abort() }));
  expect(aborted).toMatchObject({ code: 'TOOL_CANCELLED', outcome: 'cancelled' });
  expect(inputs).toEqual([]);
});

test('a call that is prepared and never runs is no call: no event, no permit, no count', async () => {
  const { inputs, binding } = recorder('remove', {});
  const registry = createRegistry([binding]);
  const types: string[] = [];
  registry.onEvent((event) => types.push(event.type));
  for (let turn = 0; turn < 3; turn += 1) void registry.prepare(toolCall('remove', { path: 'a' }), context());
  expect([inputs, types, registry.abandoned]).toEqual([[], [], 0]);
  expect((await callTool(registry, toolCall('remove', { path: 'b' }), context())).forLLM).toContain('ok');
});

test('a call is prepared at once where nothing has to be waited for, by a registry, its views, snapshots and mounts', async () => {
  const registry = createRegistry([recorder().binding]);
  const outer = createRegistry();
  outer.mount('fs', registry);
  for (const [toolset, name] of [
    [registry, 'remove'],
    [registry.view(), 'remove'],
    [registry.snapshot(), 'remove'],
    [outer, 'fs_remove'],
    [wrapCalls(registry, (prepared) => prepared), 'remove'],
  ] as const) {
    expect(toolset.prepare(toolCall(name, { path: 'a' }), context())).toHaveProperty('run');
    expect(isToolResult(toolset.prepare(toolCall(name, { path: 1, depth: {} }), context()))).toBe(true);
  }
});

test('preparing a call twice gives the same tool and arguments', async () => {
  const registry = createRegistry([recorder().binding]);
  const call = toolCall('remove', '{"path":"a","depth":"2","x":1}');
  const [one, two] = [await preparedCall(registry, call), await preparedCall(registry, call)];
  expect([two.tool, two.arguments]).toEqual([one.tool, one.arguments]);
});

test.each(['replaced', 'removed', 'disabled'])(
  'a prepared call of a tool that is %s meanwhile runs as it was shown',
  async (change) => {
    verifies('tools.call.approved');
    const { inputs, binding } = recorder();
    const registry = createRegistry([binding]);
    const prepared = await preparedCall(registry, toolCall('remove', { path: 'a' }));
    const other = recorder();
    if (change === 'replaced') registry.replace(other.binding);
    if (change === 'removed') registry.unregister('remove');
    if (change === 'disabled') registry.disable(['remove']);
    expect((await prepared.run(context())).forLLM).toBe('ok');
    expect([prepared.tool, inputs, other.inputs]).toEqual([binding.tool, [{ path: 'a' }], []]);
  },
);

test('a mounted tool, a view and a snapshot show and run what was prepared too', async () => {
  verifies('tools.call.approved');
  const { inputs, binding } = recorder();
  const inner = createRegistry([binding]);
  const registry = createRegistry();
  registry.mount('fs', inner);
  for (const [toolset, name] of [
    [registry, 'fs_remove'],
    [registry.view(), 'fs_remove'],
    [inner.snapshot(), 'remove'],
  ] as const) {
    const prepared = await preparedCall(toolset, toolCall(name, '{"path":"a","depth":"2","x":1}'));
    expect(prepared.tool.name).toBe(name);
    expect(JSON.parse(prepared.arguments)).toEqual({ path: 'a', depth: 2 });
    await prepared.run(context());
    expect(inputs.splice(0)).toEqual([{ path: 'a', depth: 2 }]);
  }
  const prepared = await preparedCall(registry, toolCall('fs_remove', { path: 'a' }));
  inner.replace(recorder().binding); // the mounted registry alone knows of it
  await prepared.run(context());
  expect(inputs).toEqual([{ path: 'a' }]);
  expect(registry.prepare(toolCall('fs_remove', '{"path":'), context())).toMatchObject({ code: 'ARGUMENTS_INVALID' });
});

test('a mounted call that cannot run is reported as one of the registry itself', () => {
  const registry = createRegistry();
  registry.mount('fs', createRegistry([recorder().binding]));
  const types: string[] = [];
  registry.onEvent((event) => types.push(event.type));
  expect(isToolResult(registry.prepare(toolCall('fs_remove', '{"path":'), context()))).toBe(true);
  expect(types).toEqual(['call-start', 'call-end']);
});

test('a mounted toolset of one function shows the arguments as they are sent, and text that is not JSON fails', async () => {
  const list = [recorder().binding.tool];
  const registry = createRegistry();
  registry.mount('fs', toToolset({ list: () => list, call: async (call) => toolResult(`got ${call.arguments}`) }));
  const call = toolCall('fs_remove', '{"path":"a","x":1}');
  const prepared = await preparedCall(registry, call);
  expect(prepared.arguments).toBe('{"path":"a","x":1}');
  expect((await prepared.run(context())).forLLM).toBe('got {"path":"a","x":1}');
  expect(registry.prepare({ ...call, arguments: '{"path":' }, context())).toMatchObject({ code: 'ARGUMENTS_INVALID' });
});

test('what a mounted toolset says of a call is kept: that it needs an approval, and that it runs an agent', async () => {
  const { binding } = recorder();
  const inner = wrapCalls(createRegistry([binding]), (prepared) => ({
    ...prepared,
    needsApproval: true,
    runsAgent: true,
  }));
  const registry = createRegistry();
  registry.mount('fs', inner);
  expect(await preparedCall(registry, toolCall('fs_remove', { path: 'a' }))).toMatchObject({
    needsApproval: true,
    runsAgent: true,
    awaitsStarted: true,
  });
  expect(await callTool(registry, toolCall('fs_remove', { path: 'a' }), context())).toMatchObject({
    code: 'TOOL_DENIED',
  });
});

test('a mounted call is redacted, limited and reported as one of the registry itself', async () => {
  const inner: Toolset = toToolset({
    list: () => [simple('say').tool],
    call: async () => toolResult(`the key is sesame ${'x'.repeat(300)}`),
  });
  const registry = createRegistry([], { secrets: ['sesame'], resultLimit: 100 });
  registry.mount('m', inner);
  const types: string[] = [];
  registry.onEvent((event) => types.push(event.type));
  const { forLLM } = await callTool(registry, toolCall('m_say'), context());
  expect([forLLM.includes('sesame'), forLLM.length < 300, types]).toEqual([false, true, ['call-start', 'call-end']]);
});

test('execute denies a call that needs an approval, because it has nobody to ask', async () => {
  let ran = 0;
  const inner = wrapCalls(createRegistry([simple('pay', {}, () => (ran += 1))]), (prepared) => ({
    ...prepared,
    needsApproval: true,
  }));
  const registry = createRegistry();
  registry.mount('m', inner);
  expect(await registry.execute('m_pay')).toMatchObject({ code: 'TOOL_DENIED', outcome: 'denied', isError: true });
  expect(ran).toBe(0);
});

test.each([true, false])(
  'the promotion of a tool is renewed when its call runs, not when it is prepared: %s',
  async (runs) => {
    verifies('tools.hidden.ttl');
    const registry = createRegistry([simple('own')]);
    registry.register(simple('rare'), { hidden: true });
    registry.promote(['rare'], 1);
    const { signal } = new AbortController();
    await registry.listFor({ turn: 1, signal });
    const prepared = await preparedCall(registry, toolCall('rare'));
    if (runs) await prepared.run(context());
    await registry.listFor({ turn: 2, signal });
    expect(registry.names()).toEqual(runs ? ['own', 'rare'] : ['own']);
  },
);

test.each([
  ['throws', () => explode()],
  ['rejects', () => Promise.reject(new Error('no rule'))],
])(
  'a call whose library %s when it is asked whether somebody must allow it does not run',
  async (_name, needsApproval) => {
    verifies('tools.call.neverRejects');
    const { binding, inputs } = recorder();
    const registry = createRegistry([{ ...binding, input: { ...binding.input, needsApproval } }]);
    const prepared = await registry.prepare(toolCall('remove', { path: 'a' }), context());
    expect(prepared).toMatchObject({ isError: true, code: 'TOOL_FAILED', forLLM: expect.stringContaining('no rule') });
    expect(inputs).toEqual([]);
  },
);

function explode(): never {
  throw new Error('no rule');
}

test('each attempt and each run get the arguments that were shown, whatever a handler does to them', async () => {
  verifies('tools.call.approved');
  const inputs: string[] = [];
  const withPaths = { type: 'object', properties: { paths: { type: 'array', items: { type: 'string' } } } };
  const registry = createRegistry([
    simple(
      'remove',
      { parameters: withPaths, effect: 'idempotent' },
      (input) => {
        inputs.push(JSON.stringify(input));
        (input as { paths: string[] }).paths.push('/etc');
        if (inputs.length === 1) throw new KernelError('TOOL_FAILED', 'again', { retryable: true });
        return 'ok';
      },
      { retries: 1 },
    ),
  ]);
  vi.useFakeTimers();
  const prepared = await preparedCall(registry, toolCall('remove', '{"paths":["a"]}'));
  const running = prepared.run(context());
  await vi.runAllTimersAsync();
  expect((await running).isError).toBeUndefined();
  await prepared.run(context());
  expect(inputs).toEqual(Array.from({ length: 3 }, () => '{"paths":["a"]}'));
});

test('what a schema library made and others have changed since it was shown does not run', async () => {
  verifies('tools.call.approved');
  const inputs: string[] = [];
  const options = { flags: ['-n'] };
  const registry = createRegistry([
    defineTool({
      name: 'copy',
      description: 'Copies.',
      effect: 'write',
      input: z.object({ options: z.any().default(options) }),
      handler: ({ options: given }: { options: typeof options }) => {
        inputs.push(JSON.stringify(given));
        given.flags.push('-f');
      },
    }),
  ]);
  const [first, second] = [
    await preparedCall(registry, toolCall('copy')),
    await preparedCall(registry, toolCall('copy')),
  ];
  expect(second.arguments).toBe('{"options":{"flags":["-n"]}}');
  await first.run(context());
  expect(await second.run(context())).toMatchObject({
    isError: true,
    outcome: 'skipped',
    error: { code: 'TOOL_SKIPPED' },
  });
  expect(inputs).toEqual(['{"flags":["-n"]}']);
});

test('a key of a limit that changes the arguments changes nothing of what runs', async () => {
  const { binding, inputs } = recorder();
  const key = (input: { path: string }) => (input.path = '/etc');
  const registry = createRegistry([{ ...binding, concurrency: { max: 1, key } } as typeof binding]);
  await (await preparedCall(registry, toolCall('remove', '{"path":"a"}'))).run(context());
  expect(inputs).toEqual([{ path: 'a' }]);
});
