import { isObject } from '@kernel/internal';
import type { Server } from '@modelcontextprotocol/server';
import { createServerTasks } from './server-tasks.ts';
import { listenOverHttp } from './listen-over-http.ts';
import { createStdioListener } from './listen-over-stdio.ts';
import { createTaskSubscriptions, listenedTasks } from './task-subscription.ts';
import { taskCallOf } from './task-call.ts';
import { type TaskOptions, taskSettings } from './task-options.ts';
import { handleTaskRequests } from './task-requests.ts';

/** What a server with tasks has that others never load. */
export type TaskSupport = Awaited<ReturnType<typeof createTaskSupport>>;

/** Creates the tasks of a server, and ends those that were left in its store. Rejects with `CONFIG_INVALID` for options that are not valid. */
export async function createTaskSupport(subject: string, options: TaskOptions, onError?: (error: Error) => void) {
  const tasks = createServerTasks(taskSettings(subject, options), onError);
  await tasks.recover();
  type CallOptions = Parameters<typeof taskCallOf> extends readonly [unknown, ...infer Rest] ? Rest : never;
  const subscriptions = createTaskSubscriptions(tasks);
  return {
    /** Answers a `subscriptions/listen` that names tasks, which the SDK has found to be valid; undefined for any other request. */
    listen: (request: Request, body: unknown): Promise<Response> | undefined =>
      isObject(body) && listenedTasks(body) !== undefined ? listenOverHttp(subscriptions, request, body) : undefined,
    /** Creates what answers such requests over standard input and output. */
    stdioListener: (send: (message: object) => Promise<void>) => createStdioListener(subscriptions, send),
    /** Handles the requests of the extension on the server of one connection. */
    mountOn: (protocol: Server): void => handleTaskRequests(protocol, tasks),
    callOf: (...call: CallOptions): ReturnType<typeof taskCallOf> => taskCallOf(tasks, ...call),
    close(): void {
      subscriptions.close();
      tasks.close();
    },
  };
}
