import { isObject } from '@kernel/internal';
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

/** Hears what a server tells of tasks unasked. The news itself is not used: the task is asked for. */
export function createTaskNews(client: Client) {
  const listeners = new Set<readonly [taskId: string, listener: () => void]>();
  client.setNotificationHandler('notifications/tasks', { params: ANY_PARAMS }, (params) => {
    for (const [taskId, listener] of listeners) if (isObject(params) && params['taskId'] === taskId) listener();
  });
  return {
    /** Calls `listener` with each news of a task. Returns a function that stops it. */
    onTask(taskId: string, listener: () => void): () => void {
      const entry = [taskId, listener] as const;
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    /** Subscribes to the news of a task until the signal aborts; without it, the task is asked for at its interval. */
    listenToTask(taskId: string, signal: AbortSignal): void {
      if (client.getServerCapabilities()?.extensions?.[TASKS_EXTENSION] === undefined) return;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the SDK lack what the extension adds
      const filter = { taskIds: [taskId] } as Parameters<Client['listen']>[0];
      client.listen(filter, { signal }).catch(() => {});
    },
  };
}
