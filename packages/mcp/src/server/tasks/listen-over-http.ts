import { errorResponse } from '../../json-rpc.ts';
import type { TaskSubscriptions } from './task-subscription.ts';

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
