import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import type { ConnectMcpOptions, McpToolset } from '../../../src/index.ts';
import { type Params, startJsonServer } from '../../fixtures/json-server.ts';
import { call, connected } from '../programs.ts';

const COMPLETE = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const DONE = { status: 'completed', result: { content: [{ type: 'text', text: 'Done.' }] } };

/** What the server says in answer to the n-th question for its task. */
type Say = (count: number) => object;

interface HostileServer {
  readonly tools: McpToolset;
  readonly polls: () => number;
  readonly updates: readonly Params[];
  readonly cancelled: Promise<unknown>;
}

/** Connects to a server whose only tool is a task. */
async function connectTo(
  say: Say,
  options: ConnectMcpOptions = {},
  task: object = { pollIntervalMs: 1 },
): Promise<HostileServer> {
  const { promise: cancelled, resolve } = Promise.withResolvers<unknown>();
  const updates: Params[] = [];
  let polls = 0;
  const server = await startJsonServer({
    'server/discover': () => ({ ...COMPLETE, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }),
    'tools/list': () => ({ ...COMPLETE, tools: [{ name: 'work', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ resultType: 'task', taskId: 'mine', status: 'working', ttlMs: null, ...task }),
    'tasks/get': () => {
      polls += 1;
      return { ...COMPLETE, taskId: 'mine', ...task, ...say(polls) };
    },
    'tasks/update': (params) => {
      updates.push(params);
      return COMPLETE;
    },
    'tasks/cancel': ({ taskId }) => {
      resolve(taskId);
      return COMPLETE;
    },
  });
  const tools = await connected({ a: { url: server.url } }, options);
  return { tools, polls: () => polls, updates, cancelled };
}

const working = { status: 'working' };
const asking = (...names: readonly string[]): object => {
  const requestedSchema = { type: 'object', properties: {} };
  const question = { method: 'elicitation/create', params: { message: 'Well?', requestedSchema } };
  return { status: 'input_required', inputRequests: Object.fromEntries(names.map((name) => [name, question])) };
};

test('a task that never ends is given up and cancelled when the call has taken as long as it may', async () => {
  verifies('mcp.client.tasks');
  const { tools, cancelled } = await connectTo(() => working, { maxCallMs: 300 });
  const result = await call(tools, 'mcp__a__work');
  expect(result).toMatchObject({ isError: true, code: 'TOOL_TIMEOUT' });
  expect(result.forLLM).toContain('maxCallMs');
  expect(await cancelled).toBe('mine');
});

test('a server that names an interval of 0 is asked ten times a second at most', async () => {
  verifies('mcp.client.tasks');
  const { tools, polls } = await connectTo(() => working, { maxCallMs: 2000 }, { pollIntervalMs: 0.001 });
  await call(tools, 'mcp__a__work');
  expect(polls()).toBeLessThanOrEqual(20);
  expect(polls()).toBeGreaterThan(0);
});

test('a server that names an interval of a year is asked before the call has heard nothing for too long', async () => {
  verifies('mcp.client.tasks');
  const year = 31_536_000_000;
  const { tools } = await connectTo(
    (count) => (count < 2 ? working : DONE),
    { timeoutMs: 4000 },
    { pollIntervalMs: year },
  );
  expect((await call(tools, 'mcp__a__work')).forLLM).toBe('Done.');
});

test.each<[string, object, RegExp]>([
  ['another task', { ...DONE, taskId: 'another' }, /another task/],
  ['a status that there is not', { status: 'paused' }, /unknown status/],
  ['a result that is none', { status: 'completed', result: { content: 7 } }, /not one of a tool/],
  ['no result', { status: 'completed' }, /not one of a tool/],
])('%s is not taken for the result of the call', async (_what, said, message) => {
  verifies('mcp.client.tasks');
  const { tools } = await connectTo(() => said);
  const { forLLM } = await call(tools, 'mcp__a__work');
  expect(forLLM).toMatch(message);
  expect(forLLM).not.toContain('Done.');
});

test('a task without an id is refused', async () => {
  const { tools, polls } = await connectTo(() => DONE, {}, { taskId: 7 });
  expect((await call(tools, 'mcp__a__work')).forLLM).toContain('no id');
  expect(polls()).toBe(0);
});

test('of a task that its server has forgotten it is unknown what it did', async () => {
  verifies('mcp.client.tasks');
  const { tools } = await connectTo(() => {
    throw Object.assign(new Error('Task has expired'), { code: -32_602 });
  });
  const result = await call(tools, 'mcp__a__work');
  expect(result).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect(result.forLLM).toContain('Task has expired');
});

test('a failed task has its error, and a cancelled one says so', async () => {
  const failed = await connectTo(() => ({ status: 'failed', error: { code: -32_603, message: 'Out of paper' } }));
  expect(await call(failed.tools, 'mcp__a__work')).toMatchObject({
    code: 'TOOL_FAILED',
    forLLM: expect.stringContaining('Out of paper') as unknown,
  });
  const cancelled = await connectTo(() => ({ status: 'cancelled' }));
  expect(await call(cancelled.tools, 'mcp__a__work')).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
});

test('a server that is away for a moment is asked again', async () => {
  verifies('mcp.client.tasks');
  const { tools } = await connectTo((count) => {
    if (count < 3) throw new Error('busy');
    return DONE;
  });
  expect((await call(tools, 'mcp__a__work')).forLLM).toBe('Done.');
});

test('a question that is repeated is asked once, and a hundred questions are enough', async () => {
  verifies('mcp.client.tasks');
  let asked = 0;
  const elicit: ConnectMcpOptions['elicit'] = () => {
    asked += 1;
    return Promise.resolve({ action: 'decline' });
  };
  const repeating = await connectTo((count) => (count < 3 ? asking('same') : DONE), { elicit });
  expect((await call(repeating.tools, 'mcp__a__work')).forLLM).toBe('Done.');
  expect(asked).toBe(1);
  expect(repeating.updates).toMatchObject([{ taskId: 'mine', inputResponses: { same: { action: 'decline' } } }]);

  asked = 0;
  const names = Array.from({ length: 101 }, (_, index) => `question_${index}`);
  const endless = await connectTo(() => asking(...names), { elicit });
  expect((await call(endless.tools, 'mcp__a__work')).forLLM).toContain('more than 100 questions');
  expect(asked).toBeLessThanOrEqual(20);
  expect(await endless.cancelled).toBe('mine');
});

test('a task that asks what the client is unable to answer is cancelled', async () => {
  const { tools, cancelled } = await connectTo(() => asking('any'));
  expect((await call(tools, 'mcp__a__work')).forLLM).toContain('unable to answer');
  expect(await cancelled).toBe('mine');
});
