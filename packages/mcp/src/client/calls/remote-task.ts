import { isObject, onAbort } from '@kernel/internal';
import type { CallToolResult, Client, JSONRPCMessage } from '@modelcontextprotocol/client';
import { ANY_PARAMS } from '../../json-rpc.ts';

/** The name of the extension, in the capabilities of both sides. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** What a server says of a task. */
export interface RemoteTask {
  readonly [field: string]: unknown;
}

/** Makes an ordinary result of one that is a task, which the SDK would refuse: `createdTask` finds the task in it. */
export function liftTask(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || message.result['resultType'] !== 'task') return message;
  const { resultType: _, _meta: meta, ...task } = message.result;
  return {
    ...message,
    result: { resultType: 'complete', content: [], _meta: { ...meta, [TASKS_EXTENSION]: task } },
  };
}

/** The task that a call has become, if it has. */
export function createdTask({ _meta: meta }: CallToolResult): RemoteTask | undefined {
  const task = meta?.[TASKS_EXTENSION];
  return isObject(task) ? task : undefined;
}

/**
 * Creates what listens to the news of a task until the signal aborts, by a subscription where the server has them. The
 * news itself isn't used: `onNews` asks for the task, which is also asked for at its interval.
 */
export function createTaskNews(client: Client) {
  const listeners = new Set<readonly [taskId: string, onNews: () => void]>();
  client.setNotificationHandler('notifications/tasks', { params: ANY_PARAMS }, (params) => {
    for (const [taskId, onNews] of listeners) if (isObject(params) && params['taskId'] === taskId) onNews();
  });
  return (taskId: string, signal: AbortSignal, onNews: () => void): void => {
    const entry = [taskId, onNews] as const;
    listeners.add(entry);
    onAbort(signal, () => void listeners.delete(entry));
    if (client.getServerCapabilities()?.extensions?.[TASKS_EXTENSION] === undefined) return;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the SDK lack what the extension adds
    const filter = { taskIds: [taskId] } as Parameters<Client['listen']>[0];
    client.listen(filter, { signal }).catch(() => {});
  };
}
