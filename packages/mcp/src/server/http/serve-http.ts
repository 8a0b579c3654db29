import type { IncomingMessage, Server as NodeServer, ServerResponse } from 'node:http';
import { errorMessage, parseJson } from '@kernel/internal';
import { checkToolset, KernelError, type Toolset } from '@kernel/protocol';
import type { NodeServerResponseLike } from '@modelcontextprotocol/node';
import type { McpServer, Server, ServerNotifier } from '@modelcontextprotocol/server';
import { errorResponse, PARSE_ERROR } from '../../json-rpc.ts';
import { httpGuard } from './http-guard.ts';
import { type HttpSettings, httpSettings, type ServeHttpOptions, toUrlHost } from './http-options.ts';
import { createHttpSessions } from './http-sessions.ts';
import { watchResponse } from './watch-response.ts';
import { handleToolRequests, onListChange } from '../mount-tools.ts';
import { closeOnAbort, prepareServer } from '../server-options.ts';
import { createToolsetTurns } from '../tools/toolset-turns.ts';

/** A server over streamable HTTP. */
export interface HttpServer {
  /** The URL for clients. */
  readonly url: string;
  /** The port on which it listens. */
  readonly port: number;
  /** Tells clients of changed prompts or resources of the server from `createServer`. Tools need no call. */
  readonly notify: Pick<ServerNotifier, 'promptsChanged' | 'resourcesChanged' | 'resourceUpdated'>;
  /** Aborts the running calls, ends all sessions and closes all sockets; does not wait for handlers. */
  close(): Promise<void>;
}

/**
 * Serves a toolset over streamable HTTP: the protocol versions before 2026-07-28 with sessions, each with its own server, and version 2026-07-28,
 * which is stateless. The SDK is loaded by this call.
 *
 * Host and Origin are checked. The calls of a client that disconnects are aborted. Rejects with `CONFIG_INVALID` for invalid options, for a
 * host that other machines can reach without a token, and for a port that is in use.
 *
 * @example
 * ```ts
 * import { serveHttp } from '@kernel/mcp';
 * import { createRegistry } from '@kernel/tools';
 *
 * const server = await serveHttp(createRegistry(), { token: 'only for this client', port: 8080 });
 * console.log(server.url);
 * await server.close();
 * ```
 */
export async function serveHttp(toolset: Toolset, options: ServeHttpOptions = {}): Promise<HttpServer> {
  checkToolset('serveHttp', toolset);
  const settings = httpSettings(options);
  const { onError } = options;
  const [sdk, node, { createServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/node'),
    import('node:http'),
  ]);
  const served = await prepareServer(sdk, 'serveHttp', toolset, options);
  const { stateKey, tasks } = served;
  const sessions = createHttpSessions(sdk, toolset, settings, onError, served);
  const limits = { maxRequestBodySize: settings.maxBodyBytes, ...(onError === undefined ? {} : { onerror: onError }) };
  // Version 2026-07-28: a server for each request; list changes go to the streams that clients opened for them.
  const turns = createToolsetTurns(toolset);
  const createStateless = (): McpServer | Server => {
    const stateless = served.createServer();
    handleToolRequests(stateless, toolset, turns, stateKey, tasks);
    return stateless;
  };
  const handler = sdk.createMcpHandler(createStateless, { legacy: 'reject', ...limits });

  const route = async (request: Request): Promise<Response> => {
    // Parsed once for all that inspect it. The SDK refuses a body with another content type than JSON.
    const body = request.method === 'POST' ? parseJson(await request.text()) : undefined;
    if (request.method === 'POST' && body === undefined)
      return errorResponse(400, PARSE_ERROR, 'Parse error: the body is not valid JSON');
    if (await sdk.isLegacyRequest(request, body)) return sessions.fetch(request, body);
    const response = await handler.fetch(request, body === undefined ? {} : { parsedBody: body });
    // The SDK checks a subscription and knows nothing of tasks.
    const listening = response.ok ? tasks?.listen(request, body) : undefined;
    if (listening !== undefined) await response.body?.cancel();
    return watchResponse((await listening) ?? response, request.signal, () => {});
  };
  const handle = node.toNodeHandler({ fetch: route }, limits);
  const guard = httpGuard(settings, node);
  const server = createServer((request, response) => {
    if (!hasRequestLine(request) || !guard(request, response)) return;
    handle(request, withFlushedHeaders(response)).catch((error: unknown) => {
      response.destroy();
      onError?.(error instanceof Error ? error : new Error(String(error)));
    });
  });
  const port = await listen(server, settings).catch(async (error: unknown) => {
    await handler.close();
    throw error;
  });
  server.on('error', (error) => onError?.(error)); // for example no file descriptor for a new connection
  const unsubscribe = onListChange(toolset, () => handler.notify.toolsChanged());

  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    removeAbortListener();
    const ended = closeServer(server);
    tasks?.close();
    unsubscribe();
    await Promise.all([sessions.close(), handler.close()]);
    await ended;
  };
  const close = (): Promise<void> => (closing ??= end());
  const removeAbortListener = closeOnAbort(options.signal, close);
  const notify = {
    promptsChanged(): void {
      handler.notify.promptsChanged();
      sessions.notify((each) => each.sendPromptListChanged());
    },
    resourcesChanged(): void {
      handler.notify.resourcesChanged();
      sessions.notify((each) => each.sendResourceListChanged());
    },
    resourceUpdated(uri: string): void {
      handler.notify.resourceUpdated(uri);
      sessions.notify((each) => each.sendResourceUpdated({ uri }));
    },
  };
  return { url: `http://${toUrlHost(settings.host)}:${port}${settings.path}`, port, notify, close };
}

/** True for every request that a server receives; the type also covers responses that a client receives. */
function hasRequestLine(request: IncomingMessage): request is IncomingMessage & { method: string; url: string } {
  return request.method !== undefined && request.url !== undefined;
}

const SHUTDOWN_MS = 1000;

/** Stops listening, closes sockets as their responses are sent, and after a second all that are left. */
function closeServer(server: NodeServer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const closeIdle = setInterval(() => server.closeIdleConnections(), 10);
  const closeAll = setTimeout(() => server.closeAllConnections(), SHUTDOWN_MS);
  server.close(() => {
    clearInterval(closeIdle);
    clearTimeout(closeAll);
    resolve();
  });
  return promise;
}

function listen(server: NodeServer, { port, host }: HttpSettings): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const onError = (cause: Error): void =>
    reject(
      new KernelError('CONFIG_INVALID', `serveHttp: cannot listen on ${host}:${port}: ${errorMessage(cause)}.`, {
        hint: 'Use another port, or 0 for any free one.',
        cause,
      }),
    );
  server.once('error', onError);
  server.listen(port, host.replace(/^\[|\]$/g, ''), () => {
    server.off('error', onError);
    const address = server.address();
    resolve(typeof address === 'object' && address !== null ? address.port : port);
  });
  return promise;
}

/**
 * Wraps a response for the SDK's adapter so that the headers of an event stream are sent at once. Node would hold them
 * back until the first event, and a client that opened a stream for notifications would not know that it is open.
 */
function withFlushedHeaders(response: ServerResponse): NodeServerResponseLike {
  return {
    writeHead(status, headers) {
      response.writeHead(status, headers);
      if (headers?.['content-type']?.startsWith('text/event-stream') === true) response.flushHeaders();
    },
    write: (chunk) => response.write(chunk),
    end: (chunk) => (chunk === undefined ? response.end() : response.end(chunk)),
    on: (event, listener) => response.on(event, listener),
    get destroyed() {
      return response.destroyed;
    },
  };
}
