import {
  isToolResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
  type ValidatedCall,
  callTool,
} from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createRegistry, defineTool } from '../../src/index.ts';
import { context, simple, toolCall } from '../support.ts';

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

async function validated(toolset: Toolset, call: ToolCall): Promise<ValidatedCall> {
  const outcome = await toolset.validate?.(call, context());
  if (outcome === undefined || isToolResult(outcome)) throw new Error(`not valid: ${outcome?.forLLM}`);
  return outcome;
}
const run = (toolset: Toolset, call: ToolCall, approved: ValidatedCall): Promise<ToolResult> =>
  callTool(toolset, call, context({ approved }));

test('validate shows the parsed, repaired and stripped arguments and the tool, and call runs exactly those', async () => {
  verifies('tools.call.approved');
  const { inputs, binding } = recorder();
  const registry = createRegistry([binding]);
  const call = toolCall('remove', ' {"path": "a", "depth": "2", "extra": 1} ');
  const approved = await validated(registry, call);
  expect(inputs).toEqual([]);
  expect(approved.tool).toBe(registry.list()[0]);
  expect(JSON.parse(approved.arguments)).toEqual({ path: 'a', depth: 2 });
  const result = await run(registry, call, approved);
  expect(result.forLLM).toContain('ok');
  expect(result.repairs).toHaveLength(1);
  expect(inputs).toEqual([{ path: 'a', depth: 2 }]);
});

test('validate shows what a schema library makes of the arguments, and the handler gets that very value', async () => {
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
  const registry = createRegistry([tool]);
  const call = toolCall('pay');
  const approved = await validated(registry, call);
  const shown: unknown = JSON.parse(approved.arguments);
  expect(shown).toEqual({ amount: 5, key: expect.stringMatching(/^key-/) });
  await run(registry, call, approved);
  expect(inputs).toEqual([shown]);
});

test('what JSON does not have is shown as what is nearest to it', async () => {
  const input = z.object({ n: z.string() }).transform(({ n }) => ({ n: BigInt(n), tags: new Set(['a']) }));
  const registry = createRegistry([
    defineTool({ name: 'big', description: 'Big.', effect: 'write', input, handler: () => 'ok' }),
  ]);
  const { arguments: text } = await validated(registry, toolCall('big', { n: '9007199254740993' }));
  expect(JSON.parse(text)).toEqual({ n: '9007199254740993', tags: ['a'] });
});

test('validate gives the failed result of a call that cannot run, and listeners hear of it once', async () => {
  verifies('tools.call.approved');
  const { inputs, binding } = recorder();
  const registry = createRegistry([binding]);
  const types: string[] = [];
  registry.onEvent((event) => types.push(event.type));
  expect(await registry.validate(toolCall('remove', { path: 1, depth: {} }), context())).toMatchObject({
    isError: true,
    code: 'ARGUMENTS_INVALID',
  });
  expect(types).toEqual(['call-start', 'call-end']);
  expect(await registry.validate(toolCall('nothing'), context())).toMatchObject({ code: 'TOOL_NOT_FOUND' });
  expect(await registry.view({ include: [] }).validate(toolCall('remove'), context())).toMatchObject({
    code: 'TOOL_NOT_FOUND',
  });
  expect(inputs).toEqual([]);
});

test('a replaced tool, another call and an approval of another registry run nothing', async () => {
  verifies('tools.call.approved');
  const { inputs, binding } = recorder();
  const registry = createRegistry([binding]);
  const call = toolCall('remove', { path: 'a' });
  const approved = await validated(registry, call);
  expect(approved.isCurrent()).toBe(true);
  const denied = { isError: true, code: 'TOOL_DENIED', outcome: 'denied' };
  expect(await run(registry, { ...call, arguments: '{"path":"b"}' }, approved)).toMatchObject(denied);
  expect(await run(createRegistry([binding]), call, { ...approved })).toMatchObject(denied);
  const other = recorder();
  registry.replace({ ...other.binding, tool: binding.tool });
  expect(approved.isCurrent()).toBe(false);
  expect(await run(registry, call, approved)).toMatchObject(denied);
  expect([inputs, other.inputs]).toEqual([[], []]);
});

test('a mounted tool, a view and a snapshot show and run what was approved too', async () => {
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
    const call = toolCall(name, '{"path":"a","depth":"2","x":1}');
    const approved = await validated(toolset, call);
    expect(approved.tool.name).toBe(name);
    expect(JSON.parse(approved.arguments)).toEqual({ path: 'a', depth: 2 });
    await run(toolset, call, approved);
    expect(inputs.splice(0)).toEqual([{ path: 'a', depth: 2 }]);
  }
  const call = toolCall('fs_remove', { path: 'a' });
  const approved = await validated(registry, call);
  inner.replace({ ...recorder().binding, tool: binding.tool }); // the mounted registry alone knows of it
  expect(approved.isCurrent()).toBe(false);
  expect(await run(registry, call, approved)).toMatchObject({ code: 'TOOL_DENIED' });
  expect(await registry.validate(toolCall('fs_remove', '{"path":'), context())).toMatchObject({
    code: 'ARGUMENTS_INVALID',
  });
});

test('a mounted toolset that cannot validate shows the arguments as they are, and text that is not JSON fails', async () => {
  const inner = createRegistry([recorder().binding]);
  const registry = createRegistry();
  registry.mount('fs', { list: () => inner.list(), call: (call, at) => callTool(inner, call, at) });
  const call = toolCall('fs_remove', '{"path":"a","x":1}');
  const approved = await validated(registry, call);
  expect(approved.arguments).toBe('{"path":"a","x":1}');
  expect((await run(registry, call, approved)).forLLM).toContain('ok');
  expect(await registry.validate({ ...call, arguments: '{"path":' }, context())).toMatchObject({
    code: 'ARGUMENTS_INVALID',
  });
});
