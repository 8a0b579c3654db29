import { isObject } from '@kernel/internal';
import { listenedTasks, type TaskSubscriptions } from './task-subscription.ts';

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
