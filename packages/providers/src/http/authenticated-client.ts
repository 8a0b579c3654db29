import { copyBytes, decodeUtf8 } from '@kernel/internal';
import { concatBytes } from './join-bytes.ts';
import type { Token } from '../config/credentials.ts';
import { httpError } from './errors.ts';
import {
  createHttpRequest,
  type FailedStatusHandler,
  type HttpRequest,
  type HttpRequestOptions,
  type ResponseHandler,
} from './request.ts';
import { createTimer, timeoutError } from './timeouts.ts';
import { hasBody, type HttpMethod, type ResponseHeaders, type Transport, type TransportOptions } from './transport.ts';

const MAX_ERROR_BYTES = 64 * 1024;

export interface ApiRequest {
  /** Default `POST`. */
  readonly method?: HttpMethod | undefined;
  /** Begins with a slash; may have a query. */
  readonly path: string;
  /** Default `application/json`. */
  readonly contentType?: string | undefined;
  /** Default `application/json`. */
  readonly accept?: string | undefined;
  /** Names are in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
}

export const JSON_TYPE = 'application/json';

export interface AuthenticatedClient {
  /** 0 if there is none. */
  readonly idleMs: number;
  /** `onHeaders` is called for a 2xx status only; everything else is an error. */
  open(request: ApiRequest, handler: ResponseHandler): HttpRequest;
}

/** Signs a request that has no token; resolves to the headers to add. */
export type Signer = (request: ApiRequest) => Promise<Readonly<Record<string, string>>>;

export interface AuthenticatedClientOptions
  extends HttpRequestOptions, Omit<TransportOptions, 'connectMs' | 'onSecret'> {
  readonly token: Token;
  readonly headers: Readonly<Record<string, string>>;
  readonly authorize: (token: string) => Readonly<Record<string, string>>;
  readonly sign?: Signer | undefined;
}

/** After a 401 a token function is called again and the request is repeated once; nothing else is. A redirect is an error like any other. */
export function createAuthenticatedClient(options: AuthenticatedClientOptions): AuthenticatedClient {
  const { timeouts, token } = options;
  let opening: Promise<Transport> | undefined;
  let transport: Transport | undefined;

  function startRequest(
    request: ApiRequest,
    added: Readonly<Record<string, string>>,
    handler: ResponseHandler,
    onFailedStatus: FailedStatusHandler,
    elapsedMs: number,
  ): HttpRequest {
    const { body = '', method = 'POST', path } = request;
    const type = hasBody(method) ? { 'content-type': request.contentType ?? JSON_TYPE } : {};
    const headers = { ...options.headers, ...type, accept: request.accept ?? JSON_TYPE, ...request.headers, ...added };
    const started = createHttpRequest(options, handler, onFailedStatus, elapsedMs);
    const send = (opened: Transport): void => started.send(opened, { method, path, headers, body });
    if (transport === undefined) {
      // A transport that failed to open is opened anew by the next request: the environment may have changed.
      opening ??= openTransport(options).catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      opening.then((opened) => send((transport = opened)), started.fail);
    } else {
      send(transport);
    }
    return started;
  }

  const readError: FailedStatusHandler = (status, headers, handler) =>
    createErrorReader(options, status, headers, handler);

  return {
    idleMs: timeouts.idleMs,
    open(request, handler) {
      const credential = token.current();
      const hasSignature = credential === undefined && options.sign !== undefined;
      // Nothing to wait for, and nothing that a 401 could renew.
      if (token.isFixed && typeof credential !== 'object' && !hasSignature)
        return startRequest(
          request,
          credential === undefined ? {} : options.authorize(credential),
          handler,
          readError,
          0,
        );
      return openWithCredential(request, handler, credential);
    },
  };

  /** Waits for the credential, and repeats the request once with a new one. */
  function openWithCredential(
    request: ApiRequest,
    handler: ResponseHandler,
    credential: ReturnType<Token['current']>,
  ): HttpRequest {
    let current: HttpRequest | undefined;
    let closed = false;
    let stopTimers: (() => void) | undefined;
    const startedAt = performance.now();

    function send(added: Readonly<Record<string, string>>, used: string | undefined, mayRenew: boolean): void {
      if (closed) return;
      const retryUnauthorized: FailedStatusHandler = (status, headers) => {
        const renewed = mayRenew && status === 401 ? token.renew(used) : undefined;
        if (renewed === undefined) return readError(status, headers, handler);
        current?.close();
        waitFor(renewed, (fresh) => send(options.authorize(fresh), fresh, false));
        return handler; // which a request that is closed does not call
      };
      current = startRequest(request, added, handler, retryUnauthorized, performance.now() - startedAt);
    }

    /** Applies the connect timeout and the total timeout. */
    function waitFor<T>(work: Promise<T>, then: (value: T) => void): void {
      if (closed) {
        work.catch(() => undefined);
        return;
      }
      const timers = (['connectMs', 'totalMs'] as const).map((timeout) => {
        const ms = timeouts[timeout];
        const remaining = timeout === 'totalMs' && ms > 0 ? Math.max(1, ms - (performance.now() - startedAt)) : ms;
        return createTimer(remaining, () => {
          token.abandon();
          fail(timeoutError(options.provider, timeout, ms, 'for a token'));
          close();
        });
      });
      stopTimers = () => {
        for (const timer of timers) timer.stop();
      };
      for (const timer of timers) timer.start();
      work
        .finally(() => stopTimers?.())
        .then(then)
        .catch(fail);
    }

    function fail(error: unknown): void {
      if (!closed) handler.onError(error);
    }

    function close(): void {
      closed = true;
      stopTimers?.();
      current?.close();
    }

    if (typeof credential === 'object') waitFor(credential, (value) => send(options.authorize(value), value, true));
    else if (credential !== undefined) send(options.authorize(credential), credential, true);
    else if (options.sign !== undefined) waitFor(options.sign(request), (signed) => send(signed, undefined, false));
    else send({}, undefined, true);

    return {
      pause: () => current?.pause(),
      resume: () => current?.resume(),
      extendIdleTimeout: (hasContent) => current?.extendIdleTimeout(hasContent),
      close,
    };
  }
}

async function openTransport(options: AuthenticatedClientOptions): Promise<Transport> {
  const { fetch, redactor, timeouts } = options;
  const module = await (fetch === undefined ? import('#transport') : import('./fetch/transport.ts'));
  return module.openTransport({
    ...options,
    connectMs: timeouts.connectMs,
    onSecret: (secret) => redactor.add(secret),
  });
}

/** Reads the body of a non-2xx response, and ends with the error that it describes. */
function createErrorReader(
  { provider, redactor }: HttpRequestOptions,
  status: number,
  headers: ResponseHeaders,
  handler: ResponseHandler,
): ResponseHandler {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const fail = (): void =>
    handler.onError(httpError(provider, status, headers, decodeUtf8(concatBytes(chunks)), redactor));
  return {
    onHeaders: () => undefined,
    onData(bytes) {
      chunks.push(copyBytes(bytes));
      size += bytes.length;
      if (size > MAX_ERROR_BYTES) throw new RangeError('The body of the error is too large.');
    },
    onEnd: fail,
    // The status says more than the reset that followed it.
    onError: fail,
  };
}
