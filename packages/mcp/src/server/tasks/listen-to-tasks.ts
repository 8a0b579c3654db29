import { isObject } from '@kernel/internal';
import { errorResponse, INTERNAL_ERROR, INVALID_PARAMS, requestIdOf } from '../../json-rpc.ts';
import type { ServerTasks } from './server-tasks.ts';
import { callerDigest, knowsTasks, missingTasks, toDetailedTask } from './task-requests.ts';
import type { TaskRecord } from './task-store.ts';

const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';
const KEEP_ALIVE_MS = 15_000;
const MAX_STREAMS = 1000;
const MAX_IDS = 1000;
const FINAL: ReadonlySet<TaskRecord['status']> = new Set(['completed', 'failed', 'cancelled']);

/** The tasks that a `subscriptions/listen` wants to hear of; undefined for any other request. */
export function listenedTasks(body: unknown): readonly unknown[] | undefined {
  if (!isObject(body) || body['method'] !== 'subscriptions/listen' || !isObject(body['params'])) return undefined;
  const { notifications } = body['params'];
  const ids = isObject(notifications) ? notifications['taskIds'] : undefined;
  return Array.isArray(ids) ? ids : undefined;
}

/** Creates what answers a `subscriptions/listen` about tasks: a stream that tells how they are now and how they change, and ends with the last of them. */
export function createTaskStreams(tasks: ServerTasks) {
  const open = new Set<() => void>();

  async function listen(request: Request, body: { readonly [name: string]: unknown }): Promise<Response> {
    const id = requestIdOf(body);
    const ids = listenedTasks(body) ?? [];
    const refuse = (code: number, message: string, data?: unknown): Response =>
      errorResponse(400, code, message, { id, data });
    if (!knowsTasks(isObject(body['params']) ? body['params']['_meta'] : undefined)) {
      const { code, message, data } = missingTasks('listening to tasks');
      return refuse(code, message, data);
    }
    if (ids.length > MAX_IDS) return refuse(INVALID_PARAMS, `More than ${MAX_IDS} tasks`);
    if (open.size >= MAX_STREAMS) return refuse(INTERNAL_ERROR, 'Subscription limit reached');
    const caller = callerDigest(request.headers.get('authorization'));
    // Whose task it is not, is not told from whose there is none.
    const found = await Promise.all(ids.map(async (each) => tasks.get(each, caller).catch(() => undefined)));
    const current = found.filter((task) => task !== undefined);
    return new Response(stream(id, current, request.signal), {
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' },
    });
  }

  function stream(id: unknown, current: readonly TaskRecord[], signal: AbortSignal): ReadableStream<Uint8Array> {
    /** What the client has not been told yet: only the newest of each task. */
    const news = new Map(current.map((task) => [task.id, task]));
    const running = new Set(news.keys());
    const unwatch: (() => void)[] = [];
    const encoder = new TextEncoder();
    const meta = { _meta: { [SUBSCRIPTION_KEY]: id } };
    let controller: ReadableStreamDefaultController<Uint8Array>;
    let keepAlive: NodeJS.Timeout | undefined;
    const write = (message: object): void =>
      controller.enqueue(encoder.encode(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`));
    const stop = (): void => {
      clearInterval(keepAlive);
      signal.removeEventListener('abort', stop);
      for (const each of unwatch) each();
      open.delete(finish);
    };
    const finish = (): void => {
      stop();
      write({ id, result: { resultType: 'complete', ...meta } });
      controller.close();
    };
    /** Sends as much as the client takes. */
    const flush = (): void => {
      for (const [taskId, task] of news) {
        if ((controller.desiredSize ?? 0) <= 0) return;
        news.delete(taskId);
        write({ method: 'notifications/tasks', params: { ...toDetailedTask(task, tasks), ...meta } });
        if (FINAL.has(task.status)) running.delete(taskId);
      }
      if (running.size === 0 && open.has(finish)) finish();
    };
    return new ReadableStream<Uint8Array>(
      {
        start(created) {
          controller = created;
          open.add(finish);
          signal.addEventListener('abort', stop, { once: true });
          keepAlive = setInterval(() => controller.enqueue(encoder.encode(': keepalive\n\n')), KEEP_ALIVE_MS).unref();
          const notifications = { taskIds: [...running] };
          write({ method: 'notifications/subscriptions/acknowledged', params: { notifications, ...meta } });
          for (const taskId of running)
            unwatch.push(
              tasks.watch(taskId, (task) => {
                news.set(taskId, task);
                flush();
              }),
            );
        },
        pull: flush,
        cancel: stop,
      },
      { highWaterMark: 4 },
    );
  }

  return {
    listen,
    /** Ends all streams. */
    close(): void {
      for (const finish of open) finish();
    },
  };
}
