import { KernelError } from '@kernel/protocol';
import { parseJson } from '../json-fields.ts';
import type { Caller, WireCall } from './authenticated-client.ts';
import type { Redactor } from './redact.ts';
import { failureUnder200, findVendorError, htmlTitle } from './errors.ts';

/** Makes one call and resolves to the whole body as text. An abort rejects with `signal.reason` and closes the socket. */
export function collectText(caller: Caller, call: WireCall, signal: AbortSignal | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const pieces: Uint8Array[] = [];
    const onAbort = (): void => {
      exchange.close();
      reject(signal?.reason);
    };
    const leave = (): void => signal?.removeEventListener('abort', onAbort);
    signal?.addEventListener('abort', onAbort, { once: true });
    const exchange = caller.open(call, {
      onHead: () => undefined,
      onBytes(bytes) {
        pieces.push(Buffer.from(bytes));
        exchange.progress();
      },
      onEnd() {
        leave();
        resolve(Buffer.concat(pieces).toString('utf8'));
      },
      onFault(error) {
        leave();
        reject(error);
      },
    });
  });
}

/** Parses a body that must be JSON; throws for a page, for broken JSON and for an error object under status 200. */
export function readJson(provider: string, text: string, redactor: Redactor): unknown {
  const page = htmlTitle(text);
  if (page !== undefined) throw new KernelError('PROVIDER_PROTOCOL', `${provider} answered 200 with ${page}.`);
  const value = parseJson(text);
  if (value === undefined) {
    throw new KernelError('PROVIDER_PROTOCOL', `${provider}: the reply is JSON that was cut short, or no JSON.`, {
      retryable: true,
    });
  }
  const error = findVendorError(value);
  if (error !== undefined) throw failureUnder200(provider, error, redactor);
  return value;
}
