import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { deliver } from './deliver.ts';
import type { RawReply, WireReply } from './reply.ts';
import { checkRequest, isPathOf, type RecordedRequest, refusal, toBytes } from './formats.ts';
import type { WireName } from './wire-format.ts';

/** Returns the reply to a request; `at` counts from 0. */
export type WireScript = (request: RecordedRequest, at: number) => WireReply | RawReply;

/** What a wire server does. */
export interface WireServerOptions {
  /** Replies in order, or a function of the request. Default: none, so that every request needs `enqueue` first. */
  readonly replies?: readonly (WireReply | RawReply)[] | WireScript | undefined;
  /** Serves only the paths of this wire and answers others with 404. Default: every wire, recognized by its paths. */
  readonly wire?: WireName | undefined;
  /** Default: a free port. */
  readonly port?: number | undefined;
  /** Refuses requests without this token with 401, in whatever header the wire has for it. */
  readonly token?: string | undefined;
  /** Refuses requests that a strict vendor would refuse, with 400 and the reasons. Default true. */
  readonly strict?: boolean | undefined;
  /** How many of the latest requests `requests` keeps. Set it for long-running servers. Default: all. */
  readonly keepRequests?: number | undefined;
}

/** A scripted model server on 127.0.0.1. */
export interface WireServer {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** The `baseUrl` for `createProvider`: the same with `/v1` for OpenAI's wires and if no wire is named. */
  readonly baseUrl: string;
  /** Every request so far, or the last `keepRequests` of them, in order. */
  readonly requests: readonly RecordedRequest[];
  /** The number of connections. */
  readonly connections: {
    /** How many have been opened so far. */
    readonly opened: number;
    /** How many are open now. */
    readonly open: number;
  };
  /** Adds replies after those that are left. */
  enqueue(...replies: readonly (WireReply | RawReply)[]): void;
  /** Closes every connection and the server. */
  close(): Promise<void>;
}

/** Wires whose base URL has no path. */
const BARE: ReadonlySet<WireName | undefined> = new Set(['azure', 'anthropic', 'gemini', 'ollama', 'bedrock']);

/**
 * Starts a loopback server that speaks seven wires (chat completions, Azure, Responses, Messages, generateContent, Ollama,
 * Converse), streamed and whole, with embeddings and transcriptions where the wire has them, over real HTTP.
 *
 * Resolves when it listens. A request for which no reply is left gets a 500 that says so.
 *
 * @example
 * ```ts
 * import { createProvider } from '@kernel/providers';
 * import { startWireServer } from '@kernel/testing';
 *
 * const server = await startWireServer({ replies: [{ text: 'Hello!' }] });
 * const provider = createProvider({ name: 'openai', baseUrl: server.baseUrl, token: 'a key' });
 * await server.close();
 * ```
 */
export async function startWireServer(options: WireServerOptions = {}): Promise<WireServer> {
  const scripted = options.replies ?? [];
  const queue: (WireReply | RawReply)[] = typeof scripted === 'function' ? [] : [...scripted];
  const requests: RecordedRequest[] = [];
  const sockets = new Set<Socket>();
  const record = createRecorder();
  const { keepRequests = Infinity } = options;
  let opened = 0;
  let received = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const recorded = await record(request);
    received += 1;
    requests.push(recorded);
    if (requests.length > keepRequests) requests.shift();
    const { path } = recorded;
    if (options.wire !== undefined && !isPathOf(options.wire, path)) {
      await deliver(response, refusal(path, 404, `${path} is not a path of the wire "${options.wire}".`));
      return;
    }
    if (options.token !== undefined && !carries(recorded, options.token)) {
      await deliver(response, refusal(path, 401, 'Incorrect API key provided.'));
      return;
    }
    if (options.strict !== false && recorded.problems.length > 0) {
      await deliver(response, refusal(path, 400, recorded.problems.join('; ')));
      return;
    }
    const reply = typeof scripted === 'function' ? scripted(recorded, received - 1) : queue.shift();
    if (reply === undefined) {
      await deliver(response, refusal(path, 500, `The script has no reply for request ${received}.`));
      return;
    }
    await deliver(response, toBytes(reply, recorded), reply.fault);
  }

  const server = createServer((request, response) => {
    // A client that disconnects while it sends or reads is not this server's fault.
    answer(request, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    opened += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return {
    url,
    baseUrl: BARE.has(options.wire) ? url : `${url}/v1`,
    requests,
    get connections() {
      return { opened, open: sockets.size };
    },
    enqueue(...replies) {
      queue.push(...replies);
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

/** Creates what reads a request. A request that repeats the one before it byte by byte is parsed and checked once. */
function createRecorder(): (request: IncomingMessage) => Promise<RecordedRequest> {
  let last: RecordedRequest | undefined;
  return async (request) => {
    const bytes = await read(request);
    const path = request.url ?? '/';
    const method = request.method ?? 'GET';
    const { headers } = request;
    if (last?.method === method && last.path === path && bytes.equals(last.bytes)) return { ...last, headers, bytes };
    const body = parse(bytes.toString('utf8'));
    const problems = method === 'POST' ? checkRequest(path, body) : [];
    last = { method, path, headers, bytes, body, problems };
    return last;
  };
}

/** The body of a request. By events: an async iterator costs as much as the rest of a short request. */
function read(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.once('end', () => resolve(Buffer.concat(pieces)));
    request.once('error', reject);
    request.once('close', () => {
      if (!request.complete) reject(new Error('The request was cut.'));
    });
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function carries({ headers }: RecordedRequest, token: string): boolean {
  return ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key']
    .map((name) => headers[name])
    .some((value) => value === token || value === `Bearer ${token}`);
}
