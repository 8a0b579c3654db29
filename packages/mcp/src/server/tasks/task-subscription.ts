import { isObject } from '@kernel/internal';
import { INTERNAL_ERROR, INVALID_PARAMS, requestIdOf } from '../../json-rpc.ts';
import type { ServerTasks } from './server-tasks.ts';
import { callerDigest, knowsTasks, missingTasks, toDetailedTask } from './task-requests.ts';
import type { TaskRecord } from './task-store.ts';

const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';
const MAX_SUBSCRIPTIONS = 1000;
const MAX_IDS = 1000;
const FINAL: ReadonlySet<TaskRecord['status']> = new Set(['completed', 'failed', 'cancelled']);

/** Where the messages of a subscription go. */
export interface TaskListener {
  write(message: object): void;
  /** Whether it takes more now; when it does again, `flush` is called. */
  isReady(): boolean;
  /** The last message was written. */
  end(): void;
}

interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The tasks that a `subscriptions/listen` wants to hear of; undefined for any other request. */
export function listenedTasks(body: unknown): readonly unknown[] | undefined {
  if (!isObject(body) || body['method'] !== 'subscriptions/listen' || !isObject(body['params'])) return undefined;
  const { notifications } = body['params'];
  const ids = isObject(notifications) ? notifications['taskIds'] : undefined;
  return Array.isArray(ids) ? ids : undefined;
}

/** Creates the subscriptions to the tasks of a server: each tells how they are now and how they change, and ends with the last of them. */
export function createTaskSubscriptions(tasks: ServerTasks) {
  const open = new Set<() => void>();

  function subscribe(id: unknown, current: readonly TaskRecord[], listener: TaskListener) {
    /** What the client has not been told yet: only the newest of each task. */
    const news = new Map(current.map((task) => [task.id, task]));
    const running = new Set(news.keys());
    const unwatch: (() => void)[] = [];
    const meta = { _meta: { [SUBSCRIPTION_KEY]: id } };
    const write = (message: object): void => listener.write({ jsonrpc: '2.0', ...message });
    const stop = (): void => {
      for (const each of unwatch) each();
      open.delete(finish);
    };
    const finish = (): void => {
      stop();
      write({ id, result: { resultType: 'complete', ...meta } });
      listener.end();
    };
    /** Sends as much as the client takes. */
    const flush = (): void => {
      for (const [taskId, task] of news) {
        if (!open.has(finish) || !listener.isReady()) return;
        news.delete(taskId);
        write({ method: 'notifications/tasks', params: { ...toDetailedTask(task, tasks), ...meta } });
        if (FINAL.has(task.status)) running.delete(taskId);
      }
      if (running.size === 0 && open.has(finish)) finish();
    };
    open.add(finish);
    write({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [...running] }, ...meta },
    });
    for (const taskId of running)
      unwatch.push(
        tasks.watch(taskId, (task) => {
          news.set(taskId, task);
          flush();
        }),
      );
    return { flush, stop };
  }

  return {
    /** Reads a request that names tasks. Resolves to what begins the subscription, or to why it is refused. */
    async prepare(body: { readonly [name: string]: unknown }, credentials: string | null) {
      const id = requestIdOf(body);
      const ids = listenedTasks(body) ?? [];
      const refused = ((): Refusal | undefined => {
        if (!knowsTasks(isObject(body['params']) ? body['params']['_meta'] : undefined))
          return missingTasks('listening to tasks');
        if (ids.length > MAX_IDS) return { code: INVALID_PARAMS, message: `More than ${MAX_IDS} tasks` };
        if (open.size >= MAX_SUBSCRIPTIONS) return { code: INTERNAL_ERROR, message: 'Subscription limit reached' };
        return undefined;
      })();
      if (refused !== undefined) return { id, refused };
      const caller = callerDigest(credentials);
      // Whose task it is not, is not told from whose there is none.
      const found = await Promise.all(ids.map(async (each) => tasks.get(each, caller).catch(() => undefined)));
      const current = found.filter((task) => task !== undefined);
      return { id, begin: (listener: TaskListener) => subscribe(id, current, listener) };
    },
    /** Ends all of them. */
    close(): void {
      for (const finish of open) finish();
    },
  };
}

export type TaskSubscriptions = ReturnType<typeof createTaskSubscriptions>;
