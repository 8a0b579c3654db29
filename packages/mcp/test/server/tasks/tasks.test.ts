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
import type { InputRequest } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { createMemoryTaskStore, isMcpCall, serveHttp, type TaskOptions, type TaskStore } from '../../../src/index.ts';
import { createClient, hanging, modern, plainTool, signalled } from '../support.ts';
import { serveTasks, taskClient } from './task-client.ts';

const UNKNOWN = { code: -32_602, message: expect.stringContaining('Unknown task') as unknown };

const NAME: InputRequest = {
  method: 'elicitation/create',
  params: {
    message: 'What is your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
};

/** A toolset of one tool, whose calls do this. */
function doing(run: (context: CallContext & RunningCall) => ToolResult | Promise<ToolResult>): Toolset {
  const list = Object.freeze([plainTool('work')]);
  return toToolset({ list: () => list, call: async (_call, context) => run(context) });
}

/** A tool that waits until the test lets it go on. */
function waiting() {
  const gate = signalled<ToolResult>();
  return { toolset: doing(() => gate.happened), finish: gate.resolve };
}

/** A tool that asks for a name. */
function asking(): Toolset {
  return doing(async (context) => {
    if (!isMcpCall(context)) throw new Error('not over MCP');
    return toolResult(JSON.stringify(await context.ask({ name: NAME })));
  });
}

const accepted = (content: object): object => ({ action: 'accept', content });

test('a call that outlives the time is a task, and its result is that of the task', async () => {
  verifies('mcp.server.tasks');
  const { toolset, finish } = waiting();
  const url = await serveTasks(toolset, { tasks: { afterMs: 0, ttlMs: 60_000, pollIntervalMs: 50 } });
  const client = taskClient(url);
  const { result: created } = await client.call('work');
  expect(created).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 60_000, pollIntervalMs: 50 });
  expect(created?.taskId).toMatch(/^[0-9a-f-]{36}$/);
  expect(created).not.toHaveProperty('result');
  finish(toolResult('Done.'));
  const done = await client.until(created?.taskId, 'completed');
  expect(done).toMatchObject({ resultType: 'complete', result: { content: [{ type: 'text', text: 'Done.' }] } });
});

test('a call that is done in time, and every call of a client that knows no tasks, has its result as ever', async () => {
  verifies('mcp.server.tasks');
  const quick = await serveTasks(
    doing(() => toolResult('Quick.')),
    { tasks: {} },
  );
  expect(await taskClient(quick).call('work')).toMatchObject({ result: { content: [{ text: 'Quick.' }] } });

  const { toolset, finish } = waiting();
  const url = await serveTasks(toolset);
  const plain = taskClient(url, 'Ada', {}).call('work');
  const older = createClient();
  const newer = createClient(modern);
  for (const each of [older, newer]) await each.connect(new StreamableHTTPClientTransport(new URL(url)));
  const results = [older.callTool({ name: 'work' }), newer.callTool({ name: 'work' })];
  finish(toolResult('Done.'));
  expect(await plain).toMatchObject({ result: { resultType: 'complete', content: [{ text: 'Done.' }] } });
  for (const result of await Promise.all(results)) expect(result).toMatchObject({ content: [{ text: 'Done.' }] });
});

test('the call of an async tool is a task as soon as the tool says so, and ends with its outcome', async () => {
  verifies('mcp.server.tasks');
  const outcome = signalled<ToolResult>();
  const toolset = doing((context) => {
    void outcome.happened.then((result) => context.onComplete?.(result));
    return asyncResult('The report is being written.');
  });
  const client = taskClient(await serveTasks(toolset, { tasks: { afterMs: 60_000 } }));
  const { result: created } = await client.call('work');
  expect(created).toMatchObject({ resultType: 'task', status: 'working' });
  const running = await client.get(created?.taskId);
  expect(running.result).toMatchObject({ status: 'working', statusMessage: 'The report is being written.' });
  outcome.resolve(toolResult('The report: all is well.'));
  const done = await client.until(created?.taskId, 'completed');
  expect(done.result?.content).toEqual([{ type: 'text', text: 'The report: all is well.' }]);
});

test('a tool that requires tasks is refused to clients that know none, of every version', async () => {
  verifies('mcp.server.tasks');
  const url = await serveTasks(
    doing(() => toolResult('Done.')),
    { tasks: { required: ['work'] } },
  );
  const data = { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } };
  expect(await taskClient(url, 'Ada', {}).call('work')).toMatchObject({ error: { code: -32_021, data } });
  const older = createClient();
  await older.connect(new StreamableHTTPClientTransport(new URL(url)));
  await expect(older.callTool({ name: 'work' })).rejects.toMatchObject({ code: -32_021 });
  expect(await taskClient(url).call('work')).toMatchObject({ result: { resultType: 'task' } });
});

test('a cancelled task aborts the handler, is cancelled at once, and what the handler returns then is dropped', async () => {
  verifies('mcp.server.tasks');
  const toolset = hanging();
  const client = taskClient(await serveTasks(toolset));
  const { result } = await client.call('hang');
  expect(await client.cancel(result?.taskId)).toMatchObject({ result: { resultType: 'complete' } });
  expect(String(await toolset.aborted)).toContain('cancelled');
  expect((await client.get(result?.taskId)).result?.status).toBe('cancelled');
  expect(await client.cancel(result?.taskId)).toMatchObject({ result: { resultType: 'complete' } });
});

test('a task that asks is input_required until it is answered in the form that it asked for', async () => {
  verifies('mcp.server.tasks');
  const client = taskClient(await serveTasks(asking(), { tasks: { required: ['work'] } }));
  const { taskId } = (await client.call('work')).result ?? {};
  const open = await client.until(taskId, 'input_required');
  expect(open.inputRequests).toEqual({ name: NAME });
  expect((await client.update(taskId, { other: accepted({}) })).error).toBeUndefined();
  const wrong = await client.update(taskId, { name: accepted({ name: 7 }) });
  expect(wrong.error).toMatchObject({ code: -32_602, message: expect.stringContaining('"name"') as unknown });
  expect((await client.get(taskId)).result?.status).toBe('input_required');
  expect((await client.update(taskId, { name: accepted({ name: 'Ada' }) })).error).toBeUndefined();
  const done = await client.until(taskId, 'completed');
  expect(done.result?.content[0]?.text).toContain('Ada');
  expect(done).not.toHaveProperty('inputRequests');
});

test('a task that asks what its client has not declared to be able to answer fails with the capability', async () => {
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const url = await serveTasks(asking(), { tasks: { required: ['work'] } });
  const client = taskClient(url, 'Ada', capabilities);
  const { taskId } = (await client.call('work')).result ?? {};
  expect((await client.until(taskId, 'failed')).error).toMatchObject({ code: -32_021 });
});

test('a task of another caller is unknown: it cannot be read, answered or cancelled', async () => {
  verifies('mcp.server.tasks.bounded');
  const url = await serveTasks(asking(), { tasks: { required: ['work'] } });
  const [ada, mallory] = [taskClient(url), taskClient(url, 'Mallory')];
  const { taskId } = (await ada.call('work')).result ?? {};
  await ada.until(taskId, 'input_required');
  expect((await mallory.get(taskId)).error).toMatchObject(UNKNOWN);
  expect((await mallory.update(taskId, { name: accepted({ name: 'M' }) })).error).toMatchObject(UNKNOWN);
  expect((await mallory.cancel(taskId)).error).toMatchObject(UNKNOWN);
  expect((await ada.get('00000000-0000-0000-0000-000000000000')).error).toMatchObject(UNKNOWN);
  expect((await ada.get(taskId)).result?.status).toBe('input_required');
});

test('a call that finds no room for a task is answered as an ordinary one', async () => {
  verifies('mcp.server.tasks.bounded');
  const { toolset, finish } = waiting();
  const url = await serveTasks(toolset, { tasks: { afterMs: 0, store: createMemoryTaskStore({ maxTasks: 1 }) } });
  const client = taskClient(url);
  expect((await client.call('work')).result?.resultType).toBe('task');
  const second = client.call('work');
  finish(toolResult('Done.'));
  expect(await second).toMatchObject({ result: { resultType: 'complete', content: [{ text: 'Done.' }] } });
});

test('a result that has no room is told as such: the call ran', async () => {
  verifies('mcp.server.tasks.bounded');
  const { toolset, finish } = waiting();
  const errors: string[] = [];
  const store = createMemoryTaskStore({ maxBytes: 2000 });
  const url = await serveTasks(toolset, {
    tasks: { afterMs: 0, store },
    onError: ({ message }) => void errors.push(message),
  });
  const client = taskClient(url);
  const { taskId } = (await client.call('work')).result ?? {};
  finish(toolResult('x'.repeat(5000)));
  const { error } = await client.until(taskId, 'failed');
  expect(error).toMatchObject({ code: -32_603, message: expect.stringContaining('the call ran') as unknown });
  expect(errors.join()).toContain('full');
});

test('closing the server aborts its tasks', async () => {
  const toolset = hanging();
  const server = await serveHttp(toolset, { tasks: { afterMs: 0 } });
  await taskClient(server.url).call('hang');
  await server.close();
  expect(String(await toolset.aborted)).toContain('closed');
});

test.each<[TaskOptions, RegExp]>([
  [{ afterMs: -1 }, /tasks\.afterMs is -1/],
  [{ ttlMs: 2 ** 31 }, /tasks\.ttlMs is 2147483648/],
  [{ pollIntervalMs: 0.5 }, /tasks\.pollIntervalMs is 0\.5/],
  [{ required: 'work' as never }, /tasks\.required is not an array/],
  [{ store: {} as never }, /tasks\.store has no function "save"/],
  [{ after: 1 } as never, /"tasks\.after"/],
])('the options %j are refused', async (tasks, message) => {
  await expect(serveHttp(hanging(), { tasks })).rejects.toThrow(message);
});

test('a task that outlives its server keeps its result, and one that the end of the server interrupted says so', async () => {
  verifies('mcp.server.tasks.durable');
  const kept = createMemoryTaskStore();
  const ids = new Set<string>();
  const store: TaskStore = {
    ...kept,
    save(task) {
      ids.add(task.id);
      return kept.save(task);
    },
    async unfinished() {
      const all = await Promise.all([...ids].map(async (id) => kept.load(id)));
      return all.filter((task) => task !== undefined).filter((task) => task.result === undefined);
    },
  };
  const gates = [signalled<ToolResult>(), signalled<ToolResult>()];
  let calls = 0;
  const toolset = doing(() => gates[calls++]?.happened ?? toolResult('none'));
  const options = { tasks: { afterMs: 0, store } };
  const first = await serveHttp(toolset, options);
  const [done, interrupted] = [
    (await taskClient(first.url).call('work')).result?.taskId,
    (await taskClient(first.url).call('work')).result?.taskId,
  ];
  gates[0]?.resolve(toolResult('Done.'));
  await taskClient(first.url).until(done, 'completed');
  await first.close();

  const client = taskClient(await serveTasks(toolset, options));
  expect((await client.get(done)).result).toMatchObject({
    status: 'completed',
    result: { content: [{ text: 'Done.' }] },
  });
  const { result } = (await client.get(interrupted)).result ?? {};
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('OUTCOME_UNKNOWN') as unknown }],
  });
});
