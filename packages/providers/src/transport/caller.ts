import type { Exchange, HttpHeaders, HttpSink } from './exchange.ts';
import type { Http } from './http.ts';
import type { Redactor } from './redact.ts';
import type { Token } from './token.ts';
import { httpError } from './vendor-error.ts';

const MAX_ERROR_BYTES = 64 * 1024;

/** One call of a vendor's API, without credentials. */
export interface WireCall {
  readonly path: string;
  readonly contentType: string;
  readonly accept: string;
  readonly body: string | Uint8Array;
}

/** Makes calls with a provider's credentials. Only a success reaches the sink's `onHead`; everything else is a fault. */
export interface Caller {
  open(call: WireCall, sink: HttpSink): Exchange;
}

/** What a `Caller` is made of. */
export interface CallerSettings {
  readonly provider: string;
  readonly http: Http;
  readonly token: Token;
  readonly redactor: Redactor;
  /** Headers of every call. */
  readonly headers: Readonly<Record<string, string>>;
  /** The header that carries a token. */
  authorize(token: string): Readonly<Record<string, string>>;
}

/** Creates a caller. A 401 asks a token function once more and sends again once; there is no other second attempt. */
export function createCaller(settings: CallerSettings): Caller {
  const { http, redactor, token } = settings;

  return {
    open(call, sink) {
      let inner: Exchange | undefined;
      let closed = false;

      function send(credential: string | undefined, mayRenew: boolean): void {
        if (closed) return;
        const headers = {
          ...settings.headers,
          'content-type': call.contentType,
          accept: call.accept,
          ...(credential === undefined ? {} : settings.authorize(credential)),
        };
        inner = http.open(
          { path: call.path, headers, body: call.body },
          withErrors(settings.provider, redactor, sink, (status) => {
            const renewed = mayRenew && status === 401 ? token.renew(credential) : undefined;
            if (renewed === undefined) return false;
            inner?.close();
            renewed.then((fresh) => send(fresh, false)).catch(fault);
            return true;
          }),
        );
      }

      function fault(error: unknown): void {
        if (!closed) sink.onFault(error);
      }

      const credential = token.current();
      if (typeof credential === 'object') credential.then((value) => send(value, true)).catch(fault);
      else send(credential, true);

      return {
        pause: () => inner?.pause(),
        resume: () => inner?.resume(),
        progress: () => inner?.progress(),
        close() {
          closed = true;
          inner?.close();
        },
      };
    },
  };
}

function withErrors(
  provider: string,
  redactor: Redactor,
  sink: HttpSink,
  takeOver: (status: number) => boolean,
): HttpSink {
  let failed: { status: number; headers: HttpHeaders; pieces: Uint8Array[]; size: number } | undefined;
  const failure = (): unknown => {
    const { headers, pieces, status } = failed ?? { headers: {}, pieces: [], status: 0 };
    return httpError(provider, status, headers, Buffer.concat(pieces).toString('utf8'), redactor);
  };
  return {
    onHead(status, headers) {
      if (status >= 200 && status < 300) sink.onHead(status, headers);
      else if (!takeOver(status)) failed = { status, headers, pieces: [], size: 0 };
    },
    onBytes(bytes) {
      if (failed === undefined) {
        sink.onBytes(bytes);
        return;
      }
      // The bytes are the transport's to reuse: keep a copy.
      failed.pieces.push(Buffer.from(bytes));
      failed.size += bytes.length;
      if (failed.size > MAX_ERROR_BYTES) throw failure();
    },
    onEnd() {
      if (failed === undefined) sink.onEnd();
      else sink.onFault(failure());
    },
    // A status says more than the reset that came after it.
    onFault: (error) => sink.onFault(failed === undefined ? error : failure()),
  };
}
