import type * as Sdk from '@modelcontextprotocol/server';
import type { Toolset } from '@kernel/protocol';
import type { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import {
  cancelledIds,
  errorResponse,
  INVALID_PARAMS,
  isInitialize,
  type RequestId,
  requestIdOf,
  requestIds,
} from '../../json-rpc.ts';
import type { HttpSettings } from './http-options.ts';
import { type OnResponseEnd, watchResponse } from './watch-response.ts';
import { mountOn, protocolOf } from '../mount-tools.ts';
import { onServerClose, type Served, type ServerOptions } from '../server-options.ts';

interface HttpSession {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  readonly pending: Set<RequestId>;
  openResponses: number;
  idleTimer: NodeJS.Timeout | undefined;
}

const SERVER_ERROR = -32_000;
const SESSION_NOT_FOUND = -32_001;

export function createHttpSessions(
  sdk: typeof Sdk,
  toolset: Toolset,
  settings: HttpSettings,
  onError: ServerOptions['onError'],
  { createServer, stateKey, tasks }: Served,
) {
  const { maxSessions, sessionIdleMs, createEventStore } = settings;
  const sessions = new Map<string, HttpSession>();
  let isClosed = false;

  const open = async (id: string): Promise<HttpSession> => {
    const created = createServer();
    const server = protocolOf(created);
    const unmount = mountOn(created, toolset, stateKey, tasks);
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      ...(createEventStore === undefined ? {} : { eventStore: createEventStore(), retryInterval: RETRY_MS }),
    });
    const session: HttpSession = { transport, server, pending: new Set(), openResponses: 0, idleTimer: undefined };
    sessions.set(id, session);
    onServerClose(server, () => {
      clearTimeout(session.idleTimer);
      sessions.delete(id);
      unmount();
    });
    if (server.onerror === undefined && onError !== undefined) Object.assign(server, { onerror: onError });
    await created.connect(transport);
    return session;
  };

  const handle = async (session: HttpSession, request: Request, body: unknown): Promise<Response> => {
    session.openResponses += 1;
    clearTimeout(session.idleTimer);
    const ids = requestIds(body);
    for (const id of ids) session.pending.add(id);
    const onEnd: OnResponseEnd = (how) => {
      if (how === 'disconnected' && createEventStore === undefined) cancelRequests(session, ids);
      for (const id of ids) session.pending.delete(id);
      session.openResponses -= 1;
      if (session.openResponses > 0 || session.server.transport === undefined) return;
      session.idleTimer = setTimeout(() => void closeQuietly(session.server), sessionIdleMs).unref();
    };
    try {
      const response = await session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
      // The SDK never responds to a cancelled request, and would keep its stream open for as long as the session lasts.
      if (createEventStore === undefined) for (const id of cancelledIds(body)) session.transport.closeSSEStream(id);
      return watchResponse(response, request.signal, onEnd);
    } catch (error) {
      onEnd('disconnected');
      throw error;
    }
  };

  return {
    async fetch(request: Request, body: unknown): Promise<Response> {
      const id = request.headers.get('mcp-session-id');
      const existing = id === null ? undefined : sessions.get(id);
      if (existing !== undefined) return handle(existing, request, body);
      const refuse = (status: number, code: number, message: string, headers = {}): Response =>
        errorResponse(status, code, message, { id: requestIdOf(body), headers });
      if (id !== null) return refuse(404, SESSION_NOT_FOUND, 'Session not found');
      if (!isInitialize(body)) return refuse(400, SERVER_ERROR, 'Bad request: Mcp-Session-Id header is required');
      if (!sdk.isInitializeRequest(body)) return refuse(400, INVALID_PARAMS, 'Invalid initialize request');
      if (isClosed || sessions.size >= maxSessions) {
        const message = isClosed ? 'The server is closing' : `All ${maxSessions} sessions are in use; try again later`;
        return refuse(503, SERVER_ERROR, message, { 'retry-after': '10' });
      }
      const session = await open(crypto.randomUUID());
      const response = await handle(session, request, body);
      if (!response.ok) await closeQuietly(session.server);
      return response;
    },
    /** Sends a notification in each session, to those that can be reached. */
    notify(send: (server: Server) => Promise<void>): void {
      for (const { server } of sessions.values()) send(server).catch(() => {});
    },
    /** Ends all sessions and aborts their calls. Does not wait for handlers. */
    async close(): Promise<void> {
      isClosed = true;
      await Promise.all([...sessions.values()].map((session) => end(session)));
    },
  };
}

/** Ends a session. Pending requests are answered first: a client whose stream just ends would wait for ever. */
function end({ transport, server, pending }: HttpSession): Promise<void> {
  const error = { code: SERVER_ERROR, message: 'The server has been closed' };
  for (const id of pending) transport.send({ jsonrpc: '2.0', id, error }).catch(() => {}); // its stream has ended
  return closeQuietly(server);
}

/** Closes a server; its own `onclose` may throw. */
function closeQuietly(server: Server): Promise<void> {
  return server
    .close()
    .catch((error: unknown) => server.onerror?.(error instanceof Error ? error : new Error(String(error))));
}

/** How long a client should wait before it resumes a stream. */
const RETRY_MS = 500;

/** Aborts calls of a client that has disconnected: without an event store nobody could get their results. */
function cancelRequests(session: HttpSession, ids: readonly RequestId[]): void {
  for (const requestId of ids)
    session.transport.onmessage?.({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId, reason: 'the client disconnected' },
    });
}
