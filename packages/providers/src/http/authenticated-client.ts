import { type ClockSettings, createClock, timeoutError } from './timeouts.ts';
import type { Exchange, HttpHeaders, HttpSink } from './request.ts';
import type { Http } from './http.ts';
import type { Redactor } from './redact.ts';
import type { Token } from '../config/credentials.ts';
import { httpError } from './errors.ts';

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
  readonly timeouts: ClockSettings;
  /** The header that carries a token. */
  authorize(token: string): Readonly<Record<string, string>>;
  /** Signs a call that has no token: its result is added to the headers. */
  readonly sign?: ((call: WireCall) => Promise<Readonly<Record<string, string>>>) | undefined;
}

/** Creates a caller. A 401 asks a token function once more and sends again once; there is no other second attempt. */
export function createCaller(settings: CallerSettings): Caller {
  const { http, redactor, token } = settings;

  return {
    open(call, sink) {
      let inner: Exchange | undefined;
      let closed = false;
      let stopWaiting: (() => void) | undefined;
      const begun = performance.now();

      function send(added: Readonly<Record<string, string>>, credential: string | undefined, mayRenew: boolean): void {
        if (closed) return;
        const headers = { ...settings.headers, 'content-type': call.contentType, accept: call.accept, ...added };
        inner = http.open(
          { path: call.path, headers, body: call.body },
          withErrors(settings.provider, redactor, sink, (status) => {
            const renewed = mayRenew && status === 401 ? token.renew(credential) : undefined;
            if (renewed === undefined) return false;
            inner?.close();
            wait(renewed, (fresh) => send(settings.authorize(fresh), fresh, false));
            return true;
          }),
          performance.now() - begun,
        );
      }

      /** Waits for what a call needs before it can be sent, under the connect clock and the total clock. */
      function wait<T>(work: Promise<T>, then: (value: T) => void): void {
        if (closed) {
          work.catch(() => undefined);
          return;
        }
        const clocks = (['connectMs', 'totalMs'] as const).map((clock) => {
          const ms = settings.timeouts[clock];
          const left = clock === 'totalMs' && ms > 0 ? Math.max(1, ms - (performance.now() - begun)) : ms;
          return createClock(left, () => {
            token.abandon();
            fault(timeoutError(settings.provider, clock, ms, 'for a token'));
            close();
          });
        });
        stopWaiting = () => {
          for (const clock of clocks) clock.stop();
        };
        for (const clock of clocks) clock.start();
        work
          .finally(() => stopWaiting?.())
          .then(then)
          .catch(fault);
      }

      function fault(error: unknown): void {
        if (!closed) sink.onFault(error);
      }

      function close(): void {
        closed = true;
        stopWaiting?.();
        inner?.close();
      }

      const credential = token.current();
      if (typeof credential === 'object') wait(credential, (value) => send(settings.authorize(value), value, true));
      else if (credential !== undefined) send(settings.authorize(credential), credential, true);
      else if (settings.sign !== undefined) wait(settings.sign(call), (signed) => send(signed, undefined, false));
      else send({}, undefined, true);

      return {
        pause: () => inner?.pause(),
        resume: () => inner?.resume(),
        progress: () => inner?.progress(),
        close,
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
    onEnd(sent) {
      if (failed === undefined) sink.onEnd(sent);
      else sink.onFault(failure());
    },
    // A status says more than the reset that came after it.
    onFault: (error) => sink.onFault(failed === undefined ? error : failure()),
  };
}
