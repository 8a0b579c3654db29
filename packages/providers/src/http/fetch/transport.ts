import { KernelError } from '@kernel/protocol';
import { DEFAULT_USER_AGENT, type ResponseHeaders } from '../headers.ts';
import { type ConnectionPool, createPool } from '../pool.ts';
import {
  abortedError,
  type Exchange,
  type ExchangeEvents,
  type Transport,
  type TransportOptions,
  type TransportRequest,
} from '../transport.ts';
import { createBodyPump } from './body-pump.ts';
import { checkResponse } from './check-response.ts';
import { failureOf, invalidHeader, redirectError } from './failures.ts';

/** The right to have one request under way. */
interface Slot {
  release(): void;
}

/**
 * Opens the transport over a `fetch`. At most `connections` requests are under way at a time; whether each has a connection of its own is
 * up to the `fetch`, which also decodes the body. Nothing tells when a connection is established, or when the body has left.
 */
export function openTransport(options: TransportOptions): Transport {
  const { provider, proxy, socketPath, tls } = options;
  const [used] = Object.entries({ proxy: proxy === false ? undefined : proxy, tls, socketPath }).find(
    ([, value]) => value !== undefined,
  ) ?? [undefined];
  if (used !== undefined) {
    throw new KernelError('CONFIG_INVALID', `${provider}: ${used} needs the transport of Node.`, {
      hint: 'This runtime sends requests by its fetch. Set up the runtime, or give a fetch of your own.',
    });
  }
  const pool = createPool<Slot>(options.connections, (release) => {
    const slot: Slot = { release: () => release(slot) };
    return slot;
  });
  return { send: (request, events) => startExchange(options, pool, request, events) };
}

function startExchange(
  { fetch: configured, origin, provider }: TransportOptions,
  pool: ConnectionPool<Slot>,
  { body, headers, method, path }: TransportRequest,
  events: ExchangeEvents,
): Exchange {
  const controller = new AbortController();
  const pump = createBodyPump(events);
  let slot: Slot | undefined;
  let ended = false;
  // An abort during a callback changes it, which the compiler cannot see.
  const isEnded = (): boolean => ended;

  function releaseSlot(): void {
    const held = slot;
    slot = undefined;
    held?.release();
  }

  async function exchange(): Promise<void> {
    // Called without a receiver, which browsers require of their own.
    const send = configured ?? globalThis.fetch;
    const request = {
      method,
      headers: toHeaders(headers),
      // Its type asks for memory that is not shared, and that is what encoders make.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      body: method === 'GET' ? null : (body as NonNullable<RequestInit['body']>),
      redirect: 'manual',
      signal: controller.signal,
    } as const;
    events.onSend();
    const response = await send(`${origin}${path}`, request);
    checkResponse(provider, response);
    if (isEnded()) {
      discardBody(response);
      return;
    }
    if (response.type === 'opaqueredirect' || response.redirected) throw redirectError(provider, response);
    events.onHeaders(response.status, fromHeaders(response.headers));
    if (isEnded()) discardBody(response);
    else await pump.read(response);
  }

  async function start(): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    try {
      await exchange();
    } catch (error) {
      failure = { error };
    }
    releaseSlot();
    if (ended) return;
    ended = true;
    if (failure === undefined) {
      events.onEnd(false);
    } else {
      controller.abort(abortedError());
      events.onError(KernelError.is(failure.error) ? failure.error : failureOf(failure.error));
    }
  }

  const leaveQueue = pool.acquire((acquired) => {
    slot = acquired;
    events.onConnection();
    void start();
  });
  if (slot === undefined) events.onQueued();

  return {
    pause: () => pump.pause(),
    resume: () => pump.resume(),
    abort() {
      if (ended) return;
      ended = true;
      leaveQueue();
      pump.stop();
      controller.abort(abortedError());
      // A fetch that ignores its signal may never settle.
      releaseSlot();
    },
  };
}

/** Gives up a body that nobody has begun to read, without waiting: a `cancel` may fail or never end. */
function discardBody({ body }: Response): void {
  body?.cancel().catch(() => undefined);
}

/** Browsers refuse or ignore a `user-agent`, and a proxy may have one of its own: only one that the config names is sent. */
function toHeaders({ 'user-agent': userAgent, ...headers }: Readonly<Record<string, string>>): Headers {
  try {
    const named = userAgent === undefined || userAgent === DEFAULT_USER_AGENT ? {} : { 'user-agent': userAgent };
    return new Headers({ ...headers, ...named });
  } catch (error) {
    throw invalidHeader(error);
  }
}

function fromHeaders(headers: Headers): ResponseHeaders {
  return Object.fromEntries(headers.entries());
}
