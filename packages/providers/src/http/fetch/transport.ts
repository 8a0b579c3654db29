import { KernelError, describeType } from '@kernel/protocol';
import { nodeOnlySetting } from '../connection-settings.ts';
import { type ConnectionPool, createPool } from '../pool.ts';
import {
  abortedError,
  hasBody,
  type Exchange,
  type ExchangeEvents,
  type Transport,
  type TransportOptions,
  type TransportRequest,
  DEFAULT_USER_AGENT,
  type ResponseHeaders,
} from '../transport.ts';
import { createBodyPump } from './body-pump.ts';
import { isObject, errorMessage } from '@kernel/internal';
import { configError } from '../../config/config-error.ts';

interface Permit {
  release(): void;
}

/** Whether each request has a connection of its own is up to the `fetch`. Nothing tells when one is established, or when the body has left. */
export function openTransport(options: TransportOptions): Transport {
  const { provider } = options;
  const used = nodeOnlySetting(options);
  if (used !== undefined) {
    throw configError(
      provider,
      `${used} needs the transport of Node.`,
      'This runtime sends requests with its own fetch: configure the runtime, or pass a fetch that does it.',
    );
  }
  const pool = createPool<Permit>(options.connections, (release) => {
    const permit: Permit = { release: () => release(permit) };
    return permit;
  });
  return { send: (request, events) => startExchange(options, pool, request, events) };
}

function startExchange(
  { fetch: configured, origin, provider }: TransportOptions,
  pool: ConnectionPool<Permit>,
  { body, headers, method, path }: TransportRequest,
  events: ExchangeEvents,
): Exchange {
  const controller = new AbortController();
  const pump = createBodyPump(events);
  let permit: Permit | undefined;
  let ended = false;
  // An abort during a callback changes it, which the compiler cannot see.
  const isEnded = (): boolean => ended;

  function releasePermit(): void {
    const held = permit;
    permit = undefined;
    held?.release();
  }

  function start(): void {
    // Called without a receiver: browsers throw if their fetch has one.
    const send = configured ?? globalThis.fetch;
    try {
      const request = {
        method,
        headers: toHeaders(headers),
        // The type excludes shared memory, which no encoder allocates.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        body: hasBody(method) ? (body as NonNullable<RequestInit['body']>) : null,
        redirect: 'manual',
        signal: controller.signal,
      } as const;
      events.onSend();
      Promise.resolve(send(`${origin}${path}`, request)).then(receive, fail);
    } catch (error) {
      fail(error);
    }
  }

  function receive(response: Response): void {
    try {
      checkResponse(provider, response);
      if (!ended) {
        if (response.type === 'opaqueredirect' || response.redirected) throw redirectError(provider, response);
        events.onHeaders(response.status, fromHeaders(response.headers));
      }
      if (!isEnded()) return pump.read(response, end);
      discardBody(response);
      return end();
    } catch (error) {
      return fail(error);
    }
  }

  function fail(error: unknown): void {
    end({ error });
  }

  function end(failure?: { readonly error: unknown }): void {
    releasePermit();
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
    permit = acquired;
    events.onConnection();
    start();
  });
  if (permit === undefined) events.onQueued();

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
      releasePermit();
    },
  };
}

/** Does not wait: `cancel` may fail or never settle. */
function discardBody({ body }: Response): void {
  body?.cancel().catch(() => undefined);
}

/** Browsers refuse or ignore a `user-agent`: only one from the config is sent. */
function toHeaders({ 'user-agent': userAgent, ...headers }: Readonly<Record<string, string>>): Headers {
  try {
    const named = userAgent === undefined || userAgent === DEFAULT_USER_AGENT ? {} : { 'user-agent': userAgent };
    return new Headers({ ...headers, ...named });
  } catch (error) {
    throw invalidHeaderError(error);
  }
}

function fromHeaders(headers: Headers): ResponseHeaders {
  return Object.fromEntries(headers.entries());
}

export function checkResponse(provider: string, value: unknown): void {
  const problem = problemOf(value);
  if (problem === undefined) return;
  throw configError(
    provider,
    `fetch returned ${problem}, not a Response.`,
    'Pass a fetch that resolves to a standard Response; a wrapper must return the Response that it received.',
  );
}

function problemOf(value: unknown): string | undefined {
  if (!isObject(value)) return describeType(value);
  const { body, headers, status } = value;
  if (typeof status !== 'number') return `${describeType(value)} without a status`;
  if (!isObject(headers) || typeof headers['entries'] !== 'function') return `${describeType(value)} without Headers`;
  if (body === undefined || body === null || (isObject(body) && typeof body['getReader'] === 'function'))
    return undefined;
  return `${describeType(value)} whose body is not a ReadableStream`;
}

/** The `fetch` of Node has it as the cause of "fetch failed". */
export function failureOf(error: unknown): unknown {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  // The timeouts of a `fetch` are not those of the config: they count as failures of the connection.
  if (codeOf(cause)?.startsWith('UND_ERR_') === true && codeOf(cause)?.endsWith('_TIMEOUT') === true) {
    return Object.assign(new Error(cause instanceof Error ? cause.message : 'timeout'), { code: 'ETIMEDOUT' });
  }
  return cause;
}

export function invalidHeaderError(error: unknown): Error {
  const message = errorMessage(error);
  return Object.assign(new Error(message), { code: 'ERR_INVALID_CHAR' });
}

/** The error for a redirect that `fetch` followed although it must not, or whose target it hides, as browsers do. */
export function redirectError(provider: string, { redirected, status, url }: Response): KernelError {
  const what = redirected
    ? `fetch followed a redirect to ${new URL(url).origin}`
    : 'the server answered with a redirect';
  return new KernelError('PROVIDER_HTTP', `${provider}: ${what}.`, {
    hint: redirected
      ? "Use a fetch that honours redirect: 'manual': the credential was sent to another address."
      : 'Redirects are not followed. If you trust the target, set baseUrl to it.',
    data: redirected ? { status } : {},
  });
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
