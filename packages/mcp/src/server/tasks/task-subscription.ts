import { ReadableStream } from 'node:stream/web';
import { isObject, onAbort } from '@kernel/internal';
import { errorResponse, INTERNAL_ERROR, INVALID_PARAMS, requestIdOf } from '../../json-rpc.ts';
import type { ServerTasks } from './server-tasks.ts';
import { callerDigest, knowsTasks, missingTasks, toDetailedTask } from './task-requests.ts';
import type { TaskRecord } from './task-store.ts';

const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';
const MAX_SUBSCRIPTIONS = 1000;
const MAX_IDS = 1000;
/** After this time without a message an event stream shows that it is alive. */
const KEEP_ALIVE_MS = 15_000;
const FINAL: ReadonlySet<TaskRecord['status']> = new Set(['completed', 'failed', 'cancelled']);

interface Body {
  readonly [name: string]: unknown;
}

interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The messages of a subscription; undefined where there was none for a while. */
type Messages = AsyncGenerator<object | undefined, void>;

/** Returns the tasks that a `subscriptions/listen` wants to hear of; undefined for any other request. */
function listenedTasks(body: unknown): readonly unknown[] | undefined {
  if (!isObject(body) || body['method'] !== 'subscriptions/listen' || !isObject(body['params'])) return undefined;
  const { notifications } = body['params'];
  const ids = isObject(notifications) ? notifications['taskIds'] : undefined;
  return Array.isArray(ids) ? ids : undefined;
}

/** Creates the subscriptions to the tasks of a server: each tells how they are now and how they change, and ends with the last of them. */
export function createTaskSubscriptions(tasks: ServerTasks) {
  /** Ends each of the open ones. */
  const open = new Set<() => void>();

  function subscribe(id: unknown, current: readonly TaskRecord[], signal: AbortSignal): Messages {
    /** What the client has not been told yet: only the newest of each task. */
    const news = new Map(current.map((task) => [task.id, task]));
    const running = new Set(news.keys());
    const meta = { _meta: { [SUBSCRIPTION_KEY]: id } };
    let isOver = false;
    let wake: (() => void) | undefined;
    const finish = (): void => {
      isOver = true;
      wake?.();
    };
    const undo = [...running].map((taskId) =>
      tasks.watch(taskId, (task) => {
        news.set(taskId, task);
        wake?.();
      }),
    );
    const stop = (): void => {
      for (const each of undo) each();
      open.delete(finish);
      finish();
    };
    open.add(finish);
    undo.push(onAbort(signal, stop));

    async function* messages(): Messages {
      try {
        const params = { notifications: { taskIds: [...running] }, ...meta };
        yield { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params };
        for (;;) {
          for (const [taskId, task] of news) {
            if (isOver) break;
            news.delete(taskId);
            yield {
              jsonrpc: '2.0',
              method: 'notifications/tasks',
              params: { ...toDetailedTask(task, tasks), ...meta },
            };
            if (FINAL.has(task.status)) running.delete(taskId);
          }
          if (isOver || running.size === 0) break;
          const { promise: woken, resolve } = Promise.withResolvers<boolean>();
          wake = () => resolve(true);
          const timer = setTimeout(resolve, KEEP_ALIVE_MS, false).unref();
          if (news.size > 0) wake();
          if (!(await woken)) yield undefined;
          clearTimeout(timer);
        }
        if (!signal.aborted) yield { jsonrpc: '2.0', id, result: { resultType: 'complete', ...meta } };
      } finally {
        stop();
      }
    }
    return messages();
  }

  /** Reads a request that names tasks. Resolves to the messages of its subscription, or to why it is refused. */
  async function begin(body: Body, credentials: string | null, signal: AbortSignal): Promise<Messages | Refusal> {
    const ids = listenedTasks(body) ?? [];
    if (!knowsTasks(isObject(body['params']) ? body['params']['_meta'] : undefined))
      return missingTasks('listening to tasks');
    if (ids.length > MAX_IDS) return { code: INVALID_PARAMS, message: `More than ${MAX_IDS} tasks` };
    if (open.size >= MAX_SUBSCRIPTIONS) return { code: INTERNAL_ERROR, message: 'Subscription limit reached' };
    const caller = callerDigest(credentials);
    // A task of another caller looks like none.
    const found = await Promise.all(ids.map(async (each) => tasks.get(each, caller).catch(() => undefined)));
    const current = found.filter((task) => task !== undefined);
    return subscribe(requestIdOf(body), current, signal);
  }

  async function listenOverHttp(request: Request, body: Body): Promise<Response> {
    const messages = await begin(body, request.headers.get('authorization'), request.signal);
    if ('code' in messages)
      return errorResponse(400, messages.code, messages.message, { id: requestIdOf(body), data: messages.data });
    const encoder = new TextEncoder();
    const events = async function* () {
      for await (const message of messages)
        yield encoder.encode(
          message === undefined ? ': keepalive\n\n' : `event: message\ndata: ${JSON.stringify(message)}\n\n`,
        );
    };
    return new Response(ReadableStream.from(events()), {
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' },
    });
  }

  /** Answers over standard input and output, between other messages. `send` rejects after the connection has ended. */
  function createStdioListener(send: (message: object) => Promise<void>) {
    const listening = new Map<unknown, AbortController>();
    const listen = async (id: unknown, body: Body): Promise<void> => {
      const controller = new AbortController();
      listening.get(id)?.abort();
      listening.set(id, controller);
      const { signal } = controller;
      try {
        const messages = await begin(body, null, signal);
        if ('code' in messages) {
          const { code, message, data } = messages;
          if (!signal.aborted) await send({ jsonrpc: '2.0', id, error: { code, message, data } });
          return;
        }
        for await (const message of messages) if (message !== undefined && !signal.aborted) await send(message);
      } finally {
        if (listening.get(id) === controller) listening.delete(id);
      }
    };
    return {
      /** Takes a message of the client if it is about such a subscription; returns false for any other. */
      take(message: unknown): boolean {
        if (!isObject(message)) return false;
        const { id, method, params } = message;
        if (method === 'notifications/cancelled' && isObject(params)) {
          listening.get(params['requestId'])?.abort();
          return listening.delete(params['requestId']);
        }
        if (listenedTasks(message) === undefined) return false;
        listen(id, message).catch(() => {}); // the connection has ended
        return true;
      },
    };
  }

  return {
    /** Answers a valid `subscriptions/listen` that names tasks; `undefined` for any other request. */
    listen: (request: Request, body: unknown): Promise<Response> | undefined =>
      isObject(body) && listenedTasks(body) !== undefined ? listenOverHttp(request, body) : undefined,
    stdioListener: createStdioListener,
    close(): void {
      for (const finish of open) finish();
    },
  };
}
