import { toolResult, type ToolResult, type Toolset } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { send } from '../raw.ts';
import { plainTool, signalled } from '../support.ts';
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
  const toolset: Toolset = { list: () => list, call: () => gate.happened };
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
  const url = await serveTasks({ list: () => list, call: () => Promise.resolve(toolResult('Done.')) });
  expect(await listen(url, ['any'], {})).toMatchObject([{ error: { code: -32_021 } }]);
  expect(await listen(url, Array.from({ length: 1001 }).fill('any'))).toMatchObject([{ error: { code: -32_602 } }]);
});
