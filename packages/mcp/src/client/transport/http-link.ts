import type { FetchLike, JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { wellFormed } from '@kernel/internal';
import type { McpServer } from '../config.ts';
import { createAddressRedactor } from '../server-redactor.ts';
import { liftTask } from '../tasks/created-task.ts';
import { limitFetch } from './limit-fetch.ts';
import { createReconnectTimers } from './reconnect-timers.ts';
import { type ClientSdk, MAX_MESSAGE_BYTES, type ServerLink } from './server-link.ts';

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];
type HttpServer = Extract<McpServer, { kind: 'http' }>;

/** How a dropped event stream is resumed; a delay that the server asks for takes precedence. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  reconnectionDelayGrowFactor: 2,
  maxReconnectionDelay: 10_000,
  maxRetries: 4,
};

/** The code of the error that this client gives a request whose response will never come. */
export const RESPONSE_LOST = -32_099;
const CANCELLED = 'notifications/cancelled';
const SHUTDOWN_MS = 1000;

/**
 * Creates the link to an address over streamable HTTP. Redirects to another origin are not followed. A request whose response was cut off and
 * cannot be resumed fails with `RESPONSE_LOST` at once, without waiting for its timeout.
 */
export function createHttpLink(sdk: ClientSdk, server: HttpServer, fetch: FetchLike = globalThis.fetch): ServerLink {
  const timers = createReconnectTimers();
  const transport = new sdk.StreamableHTTPClientTransport(server.url, {
    requestInit: { headers: { ...server.headers } },
    reconnectionOptions: RECONNECTION,
    reconnectionScheduler: (reconnect, delayMs) => timers.schedule(reconnect, delayMs),
    fetch: limitFetch(fetch, MAX_MESSAGE_BYTES),
  });
  const send = transport.send.bind(transport);
  /** Aborts the HTTP request of each JSON-RPC request that has no response yet, by id. */
  const open = new Map<string | number, AbortController>();
  const sendRequest = async (message: JSONRPCMessage, id: string | number, options: SendOptions): Promise<void> => {
    const controller = new AbortController();
    open.set(id, controller);
    const onRequestStreamEnd = (): void => {
      if (open.delete(id))
        transport.onmessage?.({
          jsonrpc: '2.0',
          id,
          error: { code: RESPONSE_LOST, message: 'the response was cut off' },
        });
    };
    try {
      await send(message, { ...options, requestSignal: controller.signal, onRequestStreamEnd });
    } catch (error) {
      open.delete(id);
      throw error;
    }
  };
  /** Stops reading the response of a cancelled request once the server has been notified, or cannot be. */
  const sendCancellation = async (message: JSONRPCMessage, id: number, options: SendOptions): Promise<void> => {
    try {
      await send(message, { ...options, requestSignal: AbortSignal.timeout(SHUTDOWN_MS) });
    } finally {
      open.get(id)?.abort();
      open.delete(id);
    }
  };
  const address = createAddressRedactor(server);
  onEachMessage(transport, (message) => {
    if (!('method' in message) && message.id !== undefined) open.delete(message.id);
    return liftTask(address === undefined ? message : address.data(message));
  });
  Object.assign(transport, {
    send(given: JSONRPCMessage, options: SendOptions) {
      const message = wellFormed(given);
      // A subscription has no response to wait for.
      const isTracked = options?.onRequestStreamEnd === undefined;
      if ('method' in message && 'id' in message && isTracked) return sendRequest(message, message.id, options);
      const id = 'method' in message && message.method === CANCELLED ? message.params?.['requestId'] : undefined;
      return typeof id === 'number' ? sendCancellation(message, id, options) : send(message, options);
    },
  });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    if (transport.sessionId !== undefined) {
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, SHUTDOWN_MS);
      });
      await Promise.race([transport.terminateSession().catch(() => {}), timeout]);
      clearTimeout(timer);
    }
    await transport.close().catch(() => {});
    timers.clear();
  };
  return {
    transport,
    failure: () => undefined, // each request fails on its own
    hasEnded: () => false,
    stderrTail: () => '',
    close: () => (closing ??= close()),
  };
}

/**
 * Passes each message through `change` before anything else sees it, whichever receiver the SDK sets: it has another while it negotiates the version.
 * A server, or a proxy before it, may repeat the address that it was asked at, with the secrets in it.
 */
function onEachMessage(
  transport: StreamableHTTPClientTransport,
  change: (message: JSONRPCMessage) => JSONRPCMessage,
): void {
  type Receiver = StreamableHTTPClientTransport['onmessage'];
  let receiver: Receiver;
  Object.defineProperty(transport, 'onmessage', {
    get: () => receiver,
    set: (inner: Receiver) => {
      receiver = inner && ((message) => inner(change(message)));
    },
  });
}
