import type { Toolset } from '@kernel/protocol';
import type { McpServer, Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { errorResponse } from './http-error.ts';
import type { HttpSettings } from './http-options.ts';
import { mountTools, protocolOf } from './mount-tools.ts';
import { INVALID_PARAMS } from './protocol-error.ts';
import { cancelledIds, isInitialize, requestIdOf, requestIds } from './rpc-body.ts';
import { onServerClose, type ServerOptions, type ServerSdk } from './server-options.ts';
import { type ResponseEnd, watchResponse } from './watch-response.ts';

/** The clients of the protocols before 2026-07-28, each with a session and a server of its own. */
export interface HttpSessions {
  /** Serves one request; `body` is its parsed body, if it has one. */
  fetch(request: Request, body: unknown): Promise<Response>;
  /** Ends every session and aborts its calls. Does not wait for handlers. */
  close(): Promise<void>;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  /** Requests that wait for their answer. */
  readonly waiting: Set<string | number>;
  open: number;
  idle: NodeJS.Timeout | undefined;
}

const SERVER_ERROR = -32_000;
const SESSION_NOT_FOUND = -32_001;

/** Creates the sessions of one HTTP server. */
export function createHttpSessions(
  sdk: ServerSdk,
  toolset: Toolset,
  settings: HttpSettings,
  options: ServerOptions,
  makeServer: () => McpServer | Server,
): HttpSessions {
  const { maxSessions, sessionIdleMs, createEventStore } = settings;
  const sessions = new Map<string, Session>();
  let isClosed = false;

  const open = async (id: string): Promise<Session> => {
    const product = makeServer();
    const server = protocolOf(product);
    const unmount = mountTools(product, toolset);
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      ...(createEventStore === undefined ? {} : { eventStore: createEventStore(), retryInterval: RETRY_MS }),
    });
    const session: Session = { transport, server, waiting: new Set(), open: 0, idle: undefined };
    sessions.set(id, session);
    onServerClose(server, () => {
      clearTimeout(session.idle);
      sessions.delete(id);
      unmount();
    });
    if (server.onerror === undefined && options.onError !== undefined)
      Object.assign(server, { onerror: options.onError });
    await product.connect(transport);
    return session;
  };

  const exchange = async (session: Session, request: Request, body: unknown): Promise<Response> => {
    session.open += 1;
    clearTimeout(session.idle);
    const ids = requestIds(body);
    for (const id of ids) session.waiting.add(id);
    const onEnd: ResponseEnd = (why) => {
      if (why === 'left' && createEventStore === undefined) cancel(session, ids);
      for (const id of ids) session.waiting.delete(id);
      session.open -= 1;
      if (session.open > 0 || session.server.transport === undefined) return;
      session.idle = setTimeout(() => void closeQuietly(session.server), sessionIdleMs).unref();
    };
    try {
      const response = await session.transport.handleRequest(
        inNegotiatedVersion(request, session.server, sdk),
        body === undefined ? {} : { parsedBody: body },
      );
      // The SDK never answers a cancelled request, and so would keep its stream open for as long as the session lasts.
      if (createEventStore === undefined) for (const id of cancelledIds(body)) session.transport.closeSSEStream(id);
      return watchResponse(response, request.signal, onEnd);
    } catch (error) {
      onEnd('left');
      throw error;
    }
  };

  return {
    async fetch(request, body) {
      const id = request.headers.get('mcp-session-id');
      const known = id === null ? undefined : sessions.get(id);
      if (known !== undefined) return exchange(known, request, body);
      if (id !== null) return errorResponse(404, SESSION_NOT_FOUND, 'Session not found', { id: requestIdOf(body) });
      if (!isInitialize(body))
        return errorResponse(400, SERVER_ERROR, 'Bad request: Mcp-Session-Id header is required', {
          id: requestIdOf(body),
        });
      if (!sdk.isInitializeRequest(body))
        return errorResponse(400, INVALID_PARAMS, 'Invalid initialize request', { id: requestIdOf(body) });
      if (isClosed || sessions.size >= maxSessions) {
        const message = isClosed ? 'The server is closing' : `All ${maxSessions} sessions are taken; try again later`;
        return errorResponse(503, SERVER_ERROR, message, { id: requestIdOf(body), headers: { 'retry-after': '10' } });
      }
      const session = await open(crypto.randomUUID());
      const response = await exchange(session, request, body);
      if (!response.ok) await closeQuietly(session.server);
      return response;
    },
    async close() {
      isClosed = true;
      await Promise.all([...sessions.values()].map((session) => end(session)));
    },
  };
}

/** Ends a session. Calls that still run are answered first: a client whose stream just ends would wait for ever. */
function end({ transport, server, waiting }: Session): Promise<void> {
  const error = { code: SERVER_ERROR, message: 'The server has been closed' };
  for (const id of waiting) transport.send({ jsonrpc: '2.0', id, error }).catch(() => {}); // its stream has ended
  return closeQuietly(server);
}

/** Closes a server, whose own `onclose` may throw. */
function closeQuietly(server: Server): Promise<void> {
  return server
    .close()
    .catch((error: unknown) => server.onerror?.(error instanceof Error ? error : new Error(String(error))));
}

/** How long a client waits before it comes back for what it missed. */
const RETRY_MS = 500;

/** Aborts calls whose client has left: without an event store nobody could get their results. */
function cancel(session: Session, ids: readonly (string | number)[]): void {
  for (const requestId of ids)
    session.transport.onmessage?.({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId, reason: 'the client disconnected' },
    });
}

/** A session speaks the version that it negotiated, also when a later request names another one of those that we know. */
function inNegotiatedVersion(request: Request, server: Server, sdk: ServerSdk): Request {
  const named = request.headers.get('mcp-protocol-version');
  const negotiated = server.getNegotiatedProtocolVersion();
  if (named === null || negotiated === undefined || named === negotiated) return request;
  if (!sdk.SUPPORTED_PROTOCOL_VERSIONS.includes(named)) return request; // the SDK refuses it
  const headers = new Headers(request.headers);
  headers.set('mcp-protocol-version', negotiated);
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}
