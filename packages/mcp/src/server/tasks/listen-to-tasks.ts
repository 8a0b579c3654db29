import { isObject } from '@kernel/internal';
import { errorResponse } from '../../json-rpc.ts';
import { listenedTasks, type TaskSubscriptions } from './task-subscription.ts';

const KEEP_ALIVE_MS = 15_000;

/** Answers a `subscriptions/listen` about tasks over HTTP: with an event stream. */
export async function listenOverHttp(
  subscriptions: TaskSubscriptions,
  request: Request,
  body: { readonly [name: string]: unknown },
): Promise<Response> {
  const { id, refused, begin } = await subscriptions.prepare(body, request.headers.get('authorization'));
  if (begin === undefined) {
    const { code, message, data } = refused;
    return errorResponse(400, code, message, { id, data });
  }
  const encoder = new TextEncoder();
  let subscription: ReturnType<typeof begin> | undefined;
  let keepAlive: NodeJS.Timeout | undefined;
  const release = (): void => {
    clearInterval(keepAlive);
    request.signal.removeEventListener('abort', stop);
  };
  const stop = (): void => {
    release();
    subscription?.stop();
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (text: string): void => controller.enqueue(encoder.encode(`${text}\n\n`));
        request.signal.addEventListener('abort', stop, { once: true });
        keepAlive = setInterval(() => write(': keepalive'), KEEP_ALIVE_MS).unref();
        subscription = begin({
          write: (message) => write(`event: message\ndata: ${JSON.stringify(message)}`),
          isReady: () => (controller.desiredSize ?? 0) > 0,
          end() {
            release();
            controller.close();
          },
        });
      },
      pull: () => subscription?.flush(),
      cancel: stop,
    },
    { highWaterMark: 4 },
  );
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' },
  });
}

/** Sends a message to the client; rejects when the connection has ended. */
type Send = (message: object) => Promise<void>;

/** Creates what answers a `subscriptions/listen` about tasks over standard input and output: with messages between the others. */
export function createStdioListener(subscriptions: TaskSubscriptions, send: Send) {
  const stops = new Map<unknown, () => void>();

  async function listen(body: { readonly [name: string]: unknown }): Promise<void> {
    let isCancelled = false;
    const requestId = body['id'];
    stops.get(requestId)?.();
    stops.set(requestId, () => void (isCancelled = true));
    const { id, refused, begin } = await subscriptions.prepare(body, null);
    if (isCancelled) return undefined;
    if (begin === undefined) {
      stops.delete(requestId);
      const { code, message, data } = refused;
      return send({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
    }
    let waiting = 0;
    const subscription = begin({
      write(message) {
        waiting += 1;
        const written = (): void => {
          waiting -= 1;
          if (waiting === 0) subscription.flush();
        };
        send(message).then(written, () => subscription.stop());
      },
      isReady: () => waiting === 0,
      end: () => void stops.delete(requestId),
    });
    if (stops.has(requestId)) stops.set(requestId, () => subscription.stop());
    return undefined;
  }

  return {
    /** Takes a message of the client if it is about such a subscription; false if it is for somebody else. */
    take(message: unknown): boolean {
      if (!isObject(message)) return false;
      const { params } = message;
      if (message['method'] === 'notifications/cancelled' && isObject(params)) {
        const stop = stops.get(params['requestId']);
        stop?.();
        return stop !== undefined && stops.delete(params['requestId']);
      }
      if (listenedTasks(message) === undefined) return false;
      listen(message).catch(() => {}); // the connection has ended
      return true;
    },
  };
}
