import type { FetchLike, JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { McpServer } from './config.ts';
import { limitFetch } from './limit-fetch.ts';
import { type Link, LONGEST_MESSAGE_BYTES, type Sdk } from './link.ts';

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];
type HttpServer = Extract<McpServer, { kind: 'http' }>;

/** How an event stream that dropped is taken up again; a time that the server names comes first. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  reconnectionDelayGrowFactor: 2,
  maxReconnectionDelay: 10_000,
  maxRetries: 4,
};

/** Marks the answer that we give ourselves where a server's will never come. */
export const ANSWER_LOST = -32_099;
const CANCELLED = 'notifications/cancelled';
/** How long a server may take to hear that a call or the session has ended. */
const GOODBYE_MS = 1000;

/**
 * Creates the way to an address over streamable HTTP. Redirects to another origin are not followed. A request whose answer was cut off and
 * can't be taken up again fails with `ANSWER_LOST` instead of waiting for its clock.
 */
export function createHttpLink(sdk: Sdk, server: HttpServer, fetch: FetchLike = globalThis.fetch): Link {
  const timers = new Set<NodeJS.Timeout>();
  const transport = new sdk.StreamableHTTPClientTransport(server.url, {
    requestInit: { headers: { ...server.headers } },
    reconnectionOptions: RECONNECTION,
    reconnectionScheduler(reconnect, delayMs) {
      // A little later, so that clients which lost a server together don't come back together.
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          reconnect();
        },
        delayMs * (1 + Math.random() / 10),
      );
      timers.add(timer);
      return () => clearTimeout(timer);
    },
    fetch: limitFetch(fetch, LONGEST_MESSAGE_BYTES),
  });
  const send = transport.send.bind(transport);
  /** What ends the HTTP request of a JSON-RPC request that has no answer yet. */
  const open = new Map<string | number, AbortController>();
  const sendRequest = async (message: JSONRPCMessage, id: string | number, options: SendOptions): Promise<void> => {
    const stop = new AbortController();
    open.set(id, stop);
    const onRequestStreamEnd = (): void => {
      if (open.delete(id))
        transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: ANSWER_LOST, message: 'the answer was cut off' } });
    };
    try {
      await send(message, { ...options, requestSignal: stop.signal, onRequestStreamEnd });
    } catch (error) {
      open.delete(id);
      throw error;
    }
  };
  /** Once the server has heard of it, or won't, nothing more is read of the request. */
  const sendCancellation = async (message: JSONRPCMessage, id: number, options: SendOptions): Promise<void> => {
    try {
      await send(message, { ...options, requestSignal: AbortSignal.timeout(GOODBYE_MS) });
    } finally {
      open.get(id)?.abort();
      open.delete(id);
    }
  };
  Object.assign(transport, {
    onmessage(message: JSONRPCMessage) {
      if (!('method' in message) && message.id !== undefined) open.delete(message.id);
    },
    send(message: JSONRPCMessage, options: SendOptions) {
      if ('method' in message && 'id' in message) return sendRequest(message, message.id, options);
      const id = 'method' in message && message.method === CANCELLED ? message.params?.['requestId'] : undefined;
      return typeof id === 'number' ? sendCancellation(message, id, options) : send(message, options);
    },
  });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    if (transport.sessionId !== undefined) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, GOODBYE_MS);
      });
      await Promise.race([transport.terminateSession().catch(() => {}), late]);
      clearTimeout(timer);
    }
    await transport.close().catch(() => {});
    for (const each of timers) clearTimeout(each);
  };
  return {
    transport,
    broken: () => undefined, // each request finds out for itself
    lastWords: () => '',
    close: () => (closing ??= close()),
  };
}
