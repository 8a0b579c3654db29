import { untilAborted, wellFormed } from '@kernel/internal';
import type { FetchLike, JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { withReadableParts } from '../calls/readable-result.ts';
import { liftTask } from '../calls/remote-task.ts';
import type { McpServer } from '../config.ts';
import { systemCode } from '../connection/request-failure.ts';
import { createAddressRedactor } from '../server-redactor.ts';
import { limitFetch } from './limit-fetch.ts';
import { type ClientSdk, MAX_MESSAGE_BYTES, RESPONSE_LOST, type ServerLink } from './server-link.ts';

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];
type HttpServer = Extract<McpServer, { kind: 'http' }>;

/** How a dropped event stream is resumed; a delay that the server asks for takes precedence. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  reconnectionDelayGrowFactor: 2,
  maxReconnectionDelay: 10_000,
  maxRetries: 4,
};

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
  const sendOnce = transport.send.bind(transport);
  const send = async (message: JSONRPCMessage, options: SendOptions): Promise<void> => {
    try {
      await sendOnce(message, options);
    } catch (error) {
      if (!changesNothing(message) || !CLOSED.has(systemCode(error) ?? '')) throw error;
      await sendOnce(message, options);
    }
  };
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
    return withReadableParts(sdk, liftTask(address === undefined ? message : address.data(message)));
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
    if (transport.sessionId !== undefined)
      await untilAborted(transport.terminateSession(), AbortSignal.timeout(SHUTDOWN_MS)).catch(() => {});
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

/** How a request fails on a connection that the server has just closed, as it may do with any that is idle. */
const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const READS =
  /^(?:initialize|notifications\/initialized|ping|server\/discover|[\w/]+\/list|tasks\/get|resources\/read|prompts\/get|completion\/complete)$/;

/** Whether a message can be sent again without harm when its connection was closed, as RFC 9110 (9.2.2) allows for such requests. */
function changesNothing(message: JSONRPCMessage): boolean {
  return 'method' in message && READS.test(message.method);
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

/** A resumed stream that ends sooner brought nothing. So many in a row are resumed as the server asks. */
const SHORT_MS = 1000;
const MAX_SHORT = 10;
/** How long the next one waits at least, which doubles with each. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

export function createReconnectTimers() {
  const timers = new Set<NodeJS.Timeout>();
  let resumedMs = -Infinity;
  let short = 0;
  return {
    /**
     * Calls `reconnect` after the delay and up to a tenth of it more, never earlier; returns a function that cancels
     * that. Where streams end again and again as soon as they are resumed, the delay grows, whatever the server asks
     * for.
     */
    schedule(reconnect: () => void, delayMs: number): () => void {
      short = performance.now() - resumedMs < SHORT_MS ? short + 1 : 0;
      const pauseMs = short <= MAX_SHORT ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (short - MAX_SHORT - 1));
      // With jitter, so that clients that lost a server together do not all come back at once.
      const jitteredMs = Math.max(delayMs, pauseMs) * (1 + Math.random() / 10);
      const timer = setTimeout(() => {
        timers.delete(timer);
        resumedMs = performance.now();
        reconnect();
      }, jitteredMs);
      timers.add(timer);
      return () => {
        clearTimeout(timer);
        timers.delete(timer);
      };
    },
    clear(): void {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
