import {
  asyncResult,
  type CallContext,
  toolResult,
  type ToolResult,
  type Toolset,
  type RunningCall,
} from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { isMcpCall } from '../../../src/index.ts';
import { plainTool, signalled } from '../../server/support.ts';
import { serveTasks } from '../../server/tasks/task-client.ts';
import { call, connected } from '../programs.ts';

function doing(run: (context: CallContext & RunningCall) => ToolResult | Promise<ToolResult>): Toolset {
  const list = Object.freeze([plainTool('work')]);
  return toToolset({ list: () => list, call: async (_call, context) => run(context) });
}

test('the result of a task is that of the call, and its news arrives sooner than the interval', async () => {
  verifies('mcp.client.tasks');
  const gate = signalled<ToolResult>();
  const toolset = doing((context) => {
    context.onProgress?.('half');
    return gate.happened;
  });
  const url = await serveTasks(toolset, { tasks: { afterMs: 0, pollIntervalMs: 600_000 } });
  const tools = await connected({ a: { url } });
  const progress: string[] = [];
  const heard = signalled();
  const running = call(
    tools,
    'mcp__a__work',
    {},
    {
      onProgress(update) {
        progress.push(update);
        heard.resolve();
      },
    },
  );
  await heard.happened;
  gate.resolve({ forLLM: 'Done.\n{"count":3}', data: { count: 3 } });
  expect(await running).toEqual({ forLLM: 'Done.\n{"count":3}', data: { count: 3 } });
  expect(progress).toEqual(['half']);
});

test('the outcome of a remote async tool is the result of the call', async () => {
  verifies('mcp.client.tasks');
  const toolset = doing((context) => {
    setTimeout(() => context.onComplete?.(toolResult('The report.')), 10);
    return asyncResult('Started.');
  });
  const tools = await connected({ a: { url: await serveTasks(toolset) } });
  expect((await call(tools, 'mcp__a__work')).forLLM).toBe('The report.');
});

test('what a task asks is asked of the user, once, with the defaults of the form filled in', async () => {
  verifies('mcp.client.tasks');
  const requestedSchema = {
    type: 'object' as const,
    properties: { name: { type: 'string' as const }, times: { type: 'integer' as const, default: 2 } },
    required: ['name', 'times'],
  };
  const toolset = doing(async (context) => {
    if (!isMcpCall(context)) throw new Error('not over MCP');
    const { who } = await context.ask({
      who: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema } },
    });
    return toolResult(JSON.stringify(who));
  });
  const url = await serveTasks(toolset, { tasks: { required: ['work'], pollIntervalMs: 20 } });
  const asked: string[] = [];
  const tools = await connected(
    { a: { url } },
    {
      elicit: ({ server, message }) => {
        asked.push(`${server}: ${message}`);
        return Promise.resolve({ action: 'accept', content: { name: 'Ada' } });
      },
    },
  );
  const { forLLM } = await call(tools, 'mcp__a__work');
  expect(JSON.parse(forLLM)).toEqual({ action: 'accept', content: { name: 'Ada', times: 2 } });
  expect(asked).toEqual(['a: Who?']);
});

test('an abort settles the call at once and cancels the task', async () => {
  verifies('mcp.client.tasks');
  const aborted = signalled<unknown>();
  const toolset = doing(({ signal, onProgress }) => {
    signal.addEventListener('abort', () => aborted.resolve(signal.reason));
    onProgress?.('half');
    return new Promise(() => {});
  });
  const tools = await connected({ a: { url: await serveTasks(toolset, { tasks: { required: ['work'] } }) } });
  const abort = new AbortController();
  // What a task says is heard only by who knows it.
  const running = call(tools, 'mcp__a__work', {}, { signal: abort.signal, onProgress: () => abort.abort() });
  expect(await running).toMatchObject({ code: 'TOOL_CANCELLED' });
  expect(String(await aborted.happened)).toContain('the client cancelled the task');
});
