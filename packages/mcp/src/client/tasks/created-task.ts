import { isObject } from '@kernel/internal';
import type { CallToolResult, JSONRPCMessage } from '@modelcontextprotocol/client';

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
