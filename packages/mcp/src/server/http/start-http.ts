import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from 'node:http';
import { errorMessage } from '@kernel/internal';
import { checkToolset, KernelError, type Toolset } from '@kernel/protocol';
import type { NodeServerResponseLike } from '@modelcontextprotocol/node';
import type { McpServer, Server, ServerNotifier } from '@modelcontextprotocol/server';
import { errorResponse, PARSE_ERROR } from '../../json-rpc.ts';
import { loadContent } from '../content/load-content.ts';
import { httpGuard } from './http-guard.ts';
import { type HttpSettings, httpSettings, type ServeHttpOptions, toUrlHost } from './http-options.ts';
import { createHttpSessions } from './http-sessions.ts';
import { watchResponse } from './watch-response.ts';
import { handleToolRequests, onListChange, stateKeyOf } from '../mount-tools.ts';
import { closeOnAbort, loadTasks, serverFactory, type ServerSdk } from '../server-options.ts';
import type { TaskSupport } from '../tasks/task-support.ts';
import type { StateKey } from '../tools/ask-client.ts';
import { createToolsetTurns } from '../tools/toolset-turns.ts';

/** A server over streamable HTTP. */
export interface HttpServer {
  /** The URL for clients. */
  readonly url: string;
  /** The port on which it listens. */
  readonly port: number;
  /** Tells clients that something of the server from `createServer` has changed: its prompts, its resources or one of them. Changes of tools are told by themselves. */
  readonly notify: Pick<ServerNotifier, 'promptsChanged' | 'resourcesChanged' | 'resourceUpdated'>;
  /** Aborts the running calls, ends all sessions and closes all sockets; does not wait for handlers. */
  close(): Promise<void>;
}

/** Implements `serveHttp`, in a file of its own so that Node's HTTP module is loaded only when it is needed. */
export async function startHttp(toolset: Toolset, options: ServeHttpOptions): Promise<HttpServer> {
  checkToolset('serveHttp', toolset);
  const settings = httpSettings(options);
  const [sdk, node] = await Promise.all([import('@modelcontextprotocol/server'), import('@modelcontextprotocol/node')]);
  const addContent = await loadContent(sdk, 'serveHttp', options.content, options.onError);
  const createMcpServer = serverFactory(sdk, toolset, options, addContent);
  const tasks = await loadTasks('serveHttp', options);
  const shared = { stateKey: stateKeyOf('serveHttp', options), tasks };
  const sessions = createHttpSessions(sdk, toolset, settings, options, createMcpServer, shared);
  const stateless = createStateless(sdk, toolset, settings, options, createMcpServer, shared);

  const route = async (request: Request): Promise<Response> => {
    const { isJson, body } = await readBody(request);
    if (!isJson) return errorResponse(400, PARSE_ERROR, 'Parse error: the body is not valid JSON');
    if (await sdk.isLegacyRequest(request, body)) return sessions.fetch(request, body);
    const response = await stateless.handler.fetch(request, body === undefined ? {} : { parsedBody: body });
    // The SDK checks a subscription and knows nothing of tasks.
    const listening = response.ok ? tasks?.listen(request, body) : undefined;
    if (listening === undefined) return watchResponse(response, request.signal, () => {});
    await response.body?.cancel();
    return watchResponse(await listening, request.signal, () => {});
  };
  const { onError } = options;
  const handle = node.toNodeHandler(
    { fetch: route },
    { maxRequestBodySize: settings.maxBodyBytes, ...(onError === undefined ? {} : { onerror: onError }) },
  );
  const guard = httpGuard(settings, node);
  const server = createServer((request, response) => {
    if (!hasRequestLine(request) || !guard(request, response)) return;
    handle(request, withFlushedHeaders(response)).catch((error: unknown) => {
      response.destroy();
      onError?.(error instanceof Error ? error : new Error(String(error)));
    });
  });
  const port = await listen(server, settings).catch(async (error: unknown) => {
    await stateless.close();
    throw error;
  });
  server.on('error', (error) => onError?.(error)); // for example no file descriptor for a new connection

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      removeAbortListener();
      const ended = closeServer(server);
      tasks?.close();
      await Promise.all([sessions.close(), stateless.close()]);
      await ended;
    })();
    return closing;
  };
  const removeAbortListener = closeOnAbort(options.signal, close);
  const notify = {
    promptsChanged(): void {
      stateless.handler.notify.promptsChanged();
      sessions.notify((each) => each.sendPromptListChanged());
    },
    resourcesChanged(): void {
      stateless.handler.notify.resourcesChanged();
      sessions.notify((each) => each.sendResourceListChanged());
    },
    resourceUpdated(uri: string): void {
      stateless.handler.notify.resourceUpdated(uri);
      sessions.notify((each) => each.sendResourceUpdated({ uri }));
    },
  };
  return { url: `http://${toUrlHost(settings.host)}:${port}${settings.path}`, port, notify, close };
}

/** Serves protocol version 2026-07-28: a server for each request; list changes go to the streams that clients opened for them. */
function createStateless(
  sdk: ServerSdk,
  toolset: Toolset,
  settings: HttpSettings,
  options: ServeHttpOptions,
  createMcpServer: () => McpServer | Server,
  { stateKey, tasks }: { readonly stateKey: StateKey; readonly tasks: TaskSupport | undefined },
) {
  const turns = createToolsetTurns(toolset);
  const handler = sdk.createMcpHandler(
    () => {
      const server = createMcpServer();
      handleToolRequests(server, toolset, turns, stateKey, tasks);
      return server;
    },
    {
      legacy: 'reject',
      maxRequestBodySize: settings.maxBodyBytes,
      ...(options.onError === undefined ? {} : { onerror: options.onError }),
    },
  );
  const unsubscribe = onListChange(toolset, () => handler.notify.toolsChanged());
  return {
    handler,
    close(): Promise<void> {
      unsubscribe();
      return handler.close();
    },
  };
}

/** Reads and parses the body, once for all that inspect it. The SDK refuses a body with another content type than JSON. */
async function readBody(request: Request): Promise<{ readonly isJson: boolean; readonly body?: unknown }> {
  if (request.method !== 'POST') return { isJson: true };
  const text = await request.text();
  try {
    return { isJson: true, body: JSON.parse(text) as unknown };
  } catch {
    return { isJson: false };
  }
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
 * Wraps a response for the SDK's adapter so that the headers of an event stream are sent at once. Node would hold them back until the first
 * event, and a client that opened a stream for notifications would not know that it is open.
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
