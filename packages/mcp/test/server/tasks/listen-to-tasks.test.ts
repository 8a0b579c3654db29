import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { toolResult, type ToolResult, type Toolset } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serveStdio } from '../../../src/index.ts';
import { send } from '../raw.ts';
import { changeable, plainTool, signalled } from '../support.ts';
import { serveTasks, taskClient, taskRequest } from './task-client.ts';

/** The messages of a subscription, until the server ends it. */
async function listen(url: string, taskIds: readonly unknown[], capabilities?: object): Promise<readonly unknown[]> {
  const { body, headers } = taskRequest('subscriptions/listen', { notifications: { taskIds } }, capabilities);
  const { text } = await send(url, body, { ...headers, authorization: 'Bearer Ada' });
  const events = text.split('\n').filter((line) => line.startsWith('data: '));
  return (events.length === 0 ? [text] : events.map((line) => line.slice('data: '.length))).map(
    (json) => JSON.parse(json) as unknown,
  );
}

test('a subscription tells how a task is and how it changes, and ends with it', async () => {
  verifies('mcp.server.tasks');
  const gate = signalled<ToolResult>();
  const list = [plainTool('work')];
  const toolset: Toolset = toToolset({ list: () => list, call: () => gate.happened });
  const url = await serveTasks(toolset);
  const mine = (await taskClient(url).call('work')).result?.taskId;
  const another = (await taskClient(url, 'Mallory').call('work')).result?.taskId;
  const listening = listen(url, [mine, another, 'no such task', 7]);
  // Another request on the way shows that the subscription is open.
  await taskClient(url).get(mine);
  gate.resolve(toolResult('Done.'));
  const messages = await listening;
  expect(messages[0]).toMatchObject({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { taskIds: [mine] }, _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
  });
  const result = { content: [{ type: 'text', text: 'Done.' }] };
  expect(messages.at(-2)).toMatchObject({
    method: 'notifications/tasks',
    params: { taskId: mine, status: 'completed', result, _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
  });
  expect(messages.at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } });
});

test('a client that does not know tasks cannot listen to them, and one that names too many is refused', async () => {
  const list = [plainTool('work')];
  const url = await serveTasks(toToolset({ list: () => list, call: () => Promise.resolve(toolResult('Done.')) }));
  expect(await listen(url, ['any'], {})).toMatchObject([{ error: { code: -32_021 } }]);
  expect(await listen(url, Array.from({ length: 1001 }).fill('any'))).toMatchObject([{ error: { code: -32_602 } }]);
});

const LONG = { timeout: 60_000 };

/** A server with tasks over streams, and the messages that it has sent. */
function serveOverStdio(toolset: Toolset) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const server = serveStdio(toolset, { stdin, stdout, tasks: { afterMs: 0 } });
  onTestFinished(() => server.close());
  const messages: Message[] = [];
  createInterface({ input: stdout }).on('line', (line) => void messages.push(JSON.parse(line) as Message));
  let id = 0;
  return {
    messages,
    /** Sends a request and returns its id. */
    ask(method: string, params: Readonly<Record<string, unknown>>, capabilities?: object): number {
      id += 1;
      const body = JSON.parse(taskRequest(method, params, capabilities).body) as object;
      stdin.write(`${JSON.stringify({ ...body, id })}\n`);
      return id;
    },
    tell: (method: string, params: object): void =>
      void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`),
    answer: (to: number): Promise<Message> =>
      vi.waitFor(() => {
        const found = messages.find((message) => message.id === to);
        if (found === undefined) throw new Error(`Nothing was answered to ${to}.`);
        return found;
      }, LONG),
  };
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly taskId?: string; readonly status?: string };
  readonly result?: { readonly taskId?: string };
}

test('over standard input and output, too, a subscription tells how a task changes, ends with it, and can be cancelled', async () => {
  verifies('mcp.server.tasks');
  const gate = signalled<ToolResult>();
  const list = [plainTool('work')];
  const { ask, tell, answer, messages } = serveOverStdio(toToolset({ list: () => list, call: () => gate.happened }));
  const { result } = await answer(ask('tools/call', { name: 'work', arguments: {} }));
  const taskIds = [result?.taskId, 'no such task'];
  const cancelled = ask('subscriptions/listen', { notifications: { taskIds } });
  tell('notifications/cancelled', { requestId: cancelled });
  const listening = ask('subscriptions/listen', { notifications: { taskIds } });
  await vi.waitFor(() => expect(messages.some(({ params }) => params?.status === 'working')).toBe(true), LONG);
  gate.resolve(toolResult('Done.'));
  expect(await answer(listening)).toMatchObject({ result: { resultType: 'complete' } });
  const told = messages.filter(({ method }) => method === 'notifications/tasks');
  expect(told.map(({ params }) => params?.status)).toEqual(['working', 'completed']);
  expect(told.at(-1)?.params).toMatchObject({
    taskId: result?.taskId,
    result: { content: [{ text: 'Done.' }] },
    _meta: { 'io.modelcontextprotocol/subscriptionId': listening },
  });
  expect(messages.some(({ id }) => id === cancelled)).toBe(false);
  const refused = ask('subscriptions/listen', { notifications: { taskIds } }, {});
  expect(await answer(refused)).toMatchObject({ error: { code: -32_021 } });
});

test('changes of the list of tools are still told to who listens to them over standard output', async () => {
  const tools = changeable('one');
  const { ask, answer, messages } = serveOverStdio(tools);
  await answer(ask('tools/list', {}));
  ask('subscriptions/listen', { notifications: { toolsListChanged: true } });
  await vi.waitFor(() => expect(messages.at(-1)?.method).toBe('notifications/subscriptions/acknowledged'), LONG);
  tools.set('one', 'two');
  await vi.waitFor(() => expect(messages.at(-1)?.method).toBe('notifications/tools/list_changed'), LONG);
});
