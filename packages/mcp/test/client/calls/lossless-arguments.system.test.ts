import { type CallContext, isToolResult, type ToolCall } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import type { McpToolset } from '../../../src/index.ts';
import { startJsonServer } from '../../fixtures/json-server.ts';
import { call, connected, server, until } from '../programs.ts';

const LOSSY = ['{"id":9007199254740993}', '{"id":1,"id":2}', '{"id":1e400}', '{"id":1e-400}'];

/** A server of one tool that takes anything and records its calls. */
async function paymentServer(annotations?: object): Promise<{ readonly url: string; readonly inputs: unknown[] }> {
  const inputs: unknown[] = [];
  const { url } = await startJsonServer({
    'tools/list': () => ({ tools: [{ name: 'pay', inputSchema: { type: 'object' }, annotations }] }),
    'tools/call': (params) => {
      inputs.push(params['arguments']);
      return { content: [{ type: 'text', text: 'paid' }] };
    },
  });
  return { url, inputs };
}

const context: CallContext = { signal: new AbortController().signal };
const payment = (text: string): ToolCall => ({ type: 'tool-call', id: 'c1', name: 'mcp__a__pay', arguments: text });

async function prepared(toolset: McpToolset, request: ToolCall) {
  const value = await toolset.prepare(request, context);
  if (isToolResult(value)) throw new Error(value.forLLM);
  return value;
}

test.each(LOSSY)('the arguments %s are refused, and nothing is sent to the server', async (text) => {
  verifies('mcp.client.exact');
  const { url, inputs } = await paymentServer();
  const toolset = await connected({ a: { url } });
  const result = await call(toolset, 'mcp__a__pay', text);
  expect(result).toMatchObject({ isError: true, code: 'ARGUMENTS_INVALID' });
  expect(result.forLLM).toContain('"/id"');
  expect(await toolset.prepare(payment(text), context)).toMatchObject({ code: 'ARGUMENTS_INVALID' });
  expect(inputs).toEqual([]);
});

test('a tool that a trusted server calls read-only gets the last of two equal keys, and never a rounded number', async () => {
  verifies('mcp.client.exact');
  const { url, inputs } = await paymentServer({ readOnlyHint: true });
  const toolset = await connected({ a: { url } }, { trustHints: ['a'] });
  await call(toolset, 'mcp__a__pay', '{"id":1,"id":2}');
  expect(await call(toolset, 'mcp__a__pay', '{"id":9007199254740993}')).toMatchObject({ code: 'ARGUMENTS_INVALID' });
  expect(inputs).toEqual([{ id: 2 }]);
});

test('what was prepared is what the server gets', async () => {
  verifies('mcp.client.approved');
  const { url, inputs } = await paymentServer();
  const toolset = await connected({ a: { url } });
  const request = payment(JSON.stringify('{ "id": 1 }'));
  const { arguments: text, run, tool } = await prepared(toolset, request);
  expect([tool, text, inputs]).toEqual([toolset.list()[0], '{"id":1}', []]);
  expect((await run(context)).forLLM).toMatch(/^paid\n/);
  expect(inputs).toEqual([{ id: 1 }]);
  expect(await toolset.prepare({ ...request, name: 'mcp__a__none' }, context)).toMatchObject({
    code: 'TOOL_NOT_FOUND',
  });
});

test('a tool whose definition changes after it was prepared does not run', async () => {
  verifies('mcp.client.approved');
  const toolset = await connected({ a: server('echo', 'retitle') });
  const request: ToolCall = { type: 'tool-call', id: 'c1', name: 'mcp__a__echo', arguments: '{"note":"x"}' };
  const { run } = await prepared(toolset, request);
  const [before] = toolset.list();
  await call(toolset, 'mcp__a__retitle');
  await until(() => toolset.list()[0] !== before);
  expect(await run(context)).toMatchObject({ code: 'TOOL_DENIED' });
  await toolset.close();
  expect(await run(context)).toMatchObject({ code: 'TOOL_UNAVAILABLE' });
  expect(await toolset.prepare(request, context)).toMatchObject({ code: 'TOOL_UNAVAILABLE' });
});
