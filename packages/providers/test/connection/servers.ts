import { createServer, type IncomingMessage, request as forward, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { chunk, sse } from '../support.ts';

/** What a chat server answers. */
export const REPLY = sse(chunk({ content: 'Hello' }), chunk({}, 'stop'), '[DONE]');

/** Listens until the test is over, on a free port of this machine or a socket. Resolves to the port. */
export async function listen(server: Server, path?: string): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (path === undefined) server.listen(0, '127.0.0.1', resolve);
    else server.listen(path, resolve);
  });
  return path === undefined ? (server.address() as AddressInfo).port : 0;
}

/** A chat server and the requests that it got. */
export interface ChatServer {
  readonly port: number;
  readonly requests: readonly IncomingMessage[];
}

/** Starts a chat server, over TLS with `tls`, on a socket with `path`. */
export async function startChat(tls?: ServerOptions, path?: string): Promise<ChatServer> {
  const requests: IncomingMessage[] = [];
  const answer: RequestListener = (request, response) => {
    requests.push(request);
    request.resume().on('end', () => response.setHeader('content-type', 'text/event-stream').end(REPLY));
  };
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  return { port: await listen(server, path), requests };
}

/** A proxy and what it was asked for. */
export interface TestProxy {
  readonly port: number;
  /** The method and the target of each request, and the credential that came with it. */
  readonly asked: readonly {
    readonly method: string;
    readonly target: string;
    readonly credential: string | undefined;
    /** The name in the certificate of the client. */
    readonly client?: string;
  }[];
  /** How many bytes came through tunnels that are answered by `establish`. */
  received(): number;
  /** Answers the requests for tunnels of a `slow` proxy. */
  establish(): void;
  /** How many of its connections are open. */
  open(): number;
}

/** Starts a proxy that takes every host for this machine. With `credential` it refuses requests without it, by the text `refusal`; a `silent` one never answers, and a `slow` one opens tunnels that lead nowhere, when the test says so. */
export async function startProxy(
  options: {
    readonly credential?: string;
    readonly refusal?: string;
    readonly silent?: boolean;
    readonly slow?: boolean;
    readonly status?: string;
    readonly tls?: ServerOptions;
  } = {},
): Promise<TestProxy> {
  const asked: { method: string; target: string; credential: string | undefined; client?: string }[] = [];
  const waiting: Socket[] = [];
  let open = 0;
  let received = 0;
  const isRefused = ({ headers, method = '', socket, url: target = '' }: IncomingMessage): boolean => {
    const credential = headers['proxy-authorization'];
    const client = socket instanceof TLSSocket ? nameOf(socket) : undefined;
    asked.push({ method, target, credential, ...(client === undefined ? {} : { client }) });
    return options.credential !== undefined && credential !== options.credential;
  };
  const pass: RequestListener = (request, response) => {
    if (isRefused(request)) {
      response.writeHead(407).end(options.refusal);
      return;
    }
    const { hostname: _, pathname, port, search } = new URL(request.url ?? '');
    const { 'proxy-authorization': __, ...headers } = request.headers;
    const sent = forward({ host: '127.0.0.1', port, path: pathname + search, method: 'POST', headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    request.pipe(sent);
  };
  const server = options.tls === undefined ? createServer(pass) : createTlsServer(options.tls, pass);
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.on('close', () => (open -= 1));
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const refused = isRefused(request);
    socket.on('error', () => undefined);
    if (options.silent === true || options.slow === true) {
      if (options.slow === true) waiting.push(socket);
      socket.on('data', (bytes: Uint8Array) => (received += bytes.length)).on('end', () => socket.destroy());
      return;
    }
    if (refused) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const upstream = connect(Number(/\d+$/.exec(request.url ?? '')?.[0]), '127.0.0.1', () => {
      socket.write(`HTTP/1.1 ${options.status ?? '200 Connection established'}\r\n\r\n`);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
  });
  return {
    port: await listen(server),
    asked,
    open: () => open,
    received: () => received,
    establish: () => waiting.splice(0).forEach((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n')),
  };
}

function nameOf(socket: TLSSocket): string | undefined {
  const { subject } = socket.getPeerCertificate() as { readonly subject?: { readonly CN?: string } };
  return subject?.CN;
}
