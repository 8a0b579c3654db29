import { createServer, type IncomingMessage, type Server as NodeServer } from 'node:http';
import { KernelError, type Toolset } from '@kernel/protocol';
import type { McpServer, Server } from '@modelcontextprotocol/server';
import { errorResponse } from './http-error.ts';
import { httpGuard } from './http-guard.ts';
import { type HttpSettings, httpSettings, inUrl, type ServeHttpOptions } from './http-options.ts';
import { createHttpSessions } from './http-sessions.ts';
import { answerTools, onListChange } from './mount-tools.ts';
import { messageOf } from './protocol-error.ts';
import { withPromptHeaders } from './prompt-headers.ts';
import { closeOnAbort, serverFactory, type ServerSdk } from './server-options.ts';
import { createTurns } from './turns.ts';
import { watchResponse } from './watch-response.ts';

/** A server over streamable HTTP. */
export interface HttpServer {
  /** Where clients connect. */
  readonly url: string;
  readonly port: number;
  /** Aborts the calls that run, ends every session and closes every socket; does not wait for handlers. */
  close(): Promise<void>;
}

/** Does what `serveHttp` promises; a file of its own, because Node's HTTP is not loaded before it is needed. */
export async function startHttp(toolset: Toolset, options: ServeHttpOptions): Promise<HttpServer> {
  const settings = httpSettings(options);
  const [sdk, node] = await Promise.all([import('@modelcontextprotocol/server'), import('@modelcontextprotocol/node')]);
  const makeServer = serverFactory(sdk, toolset, options);
  const sessions = createHttpSessions(sdk, toolset, settings, options, makeServer);
  const stateless = createStateless(sdk, toolset, settings, options, makeServer);

  const route = async (request: Request): Promise<Response> => {
    const { isJson, body } = await readBody(request);
    if (!isJson) return errorResponse(400, -32_700, 'Parse error: the body is no JSON');
    if (await sdk.isLegacyRequest(request, body)) return sessions.fetch(request, body);
    const response = await stateless.handler.fetch(request, body === undefined ? {} : { parsedBody: body });
    return watchResponse(response, request.signal, () => {});
  };
  const { onError } = options;
  const handle = node.toNodeHandler(
    { fetch: route },
    { maxRequestBodySize: settings.maxBodyBytes, ...(onError === undefined ? {} : { onerror: onError }) },
  );
  const guard = httpGuard(settings, node);
  const server = createServer((request, response) => {
    if (!hasLine(request) || !guard(request, response)) return;
    handle(request, withPromptHeaders(response)).catch((error: unknown) => {
      response.destroy();
      onError?.(error instanceof Error ? error : new Error(String(error)));
    });
  });
  const port = await listen(server, settings).catch(async (error: unknown) => {
    await stateless.close();
    throw error;
  });
  server.on('error', (error) => onError?.(error)); // such as no file descriptor for a new connection

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      unlisten();
      const ended = closeServer(server);
      await Promise.all([sessions.close(), stateless.close()]);
      await ended;
    })();
    return closing;
  };
  const unlisten = closeOnAbort(options.signal, close);
  return { url: `http://${inUrl(settings.host)}:${port}${settings.path}`, port, close };
}

/** The 2026-07-28 protocol: a server for each request; changes are told on the streams that clients opened for them. */
function createStateless(
  sdk: ServerSdk,
  toolset: Toolset,
  settings: HttpSettings,
  options: ServeHttpOptions,
  makeServer: () => McpServer | Server,
) {
  const turns = createTurns(toolset);
  const handler = sdk.createMcpHandler(
    () => {
      const server = makeServer();
      answerTools(server, toolset, turns);
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

/** Reads and parses the body once for all that look into it. A body that is not announced as JSON is left to the SDK to refuse. */
async function readBody(request: Request): Promise<{ readonly isJson: boolean; readonly body?: unknown }> {
  if (request.method !== 'POST') return { isJson: true };
  const text = await request.text();
  try {
    return { isJson: true, body: JSON.parse(text) as unknown };
  } catch {
    return { isJson: false };
  }
}

/** True for every request that a server gets; the type also covers what a client receives. */
function hasLine(request: IncomingMessage): request is IncomingMessage & { method: string; url: string } {
  return request.method !== undefined && request.url !== undefined;
}

/** How long sockets may take to send what was answered last. */
const LAST_WORDS_MS = 1000;

/** Stops listening, closes sockets as their answers are sent, and after a second all that are left. */
function closeServer(server: NodeServer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sweep = setInterval(() => server.closeIdleConnections(), 10);
  const cut = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS);
  server.close(() => {
    clearInterval(sweep);
    clearTimeout(cut);
    resolve();
  });
  return promise;
}

function listen(server: NodeServer, { port, host }: HttpSettings): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const onError = (cause: Error): void =>
    reject(
      new KernelError('CONFIG_INVALID', `serveHttp: cannot listen on ${host}:${port}: ${messageOf(cause)}.`, {
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
