import { KernelError } from '@kernel/protocol';
import { timeoutError } from './timeouts.ts';
import type { Redactor } from './redact.ts';

const PROTOCOL_CODES = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);
const CONFIG_CODES = new Set(['UND_ERR_INVALID_ARG', 'ERR_INVALID_URL', 'ERR_INVALID_CHAR']);

/** Turns a fault of the connection into `PROVIDER_NETWORK`, `PROVIDER_TIMEOUT` (connect) or, for bad HTTP, `PROVIDER_PROTOCOL`. */
export function networkError(provider: string, error: unknown, connectMs: number, redactor: Redactor): KernelError {
  const code = codeOf(error);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return timeoutError(provider, 'connectMs', connectMs);
  const said = redactor.redact(messageOf(error));
  // The original may hold bytes of the response, and so an echoed secret: only its clean message and code go on.
  const cause = Object.assign(new Error(said), code === undefined ? {} : { code });
  const data = code === undefined ? {} : { errno: code };
  if (code !== undefined && (PROTOCOL_CODES.has(code) || code.startsWith('HPE_'))) {
    return new KernelError('PROVIDER_PROTOCOL', `${provider}: the server does not speak HTTP as it should: ${said}`, {
      cause,
      data,
    });
  }
  if (code !== undefined && CONFIG_CODES.has(code)) {
    return new KernelError('CONFIG_INVALID', `${provider}: the request cannot be sent: ${said}`, { cause, data });
  }
  return new KernelError('PROVIDER_NETWORK', `${provider}: the connection failed: ${said}`, {
    retryable: true,
    hint: code === 'ECONNREFUSED' ? 'Nothing listens there: check baseUrl, or start the server.' : undefined,
    cause,
    data,
  });
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function messageOf(error: unknown): string {
  // Node joins the failures of several addresses into an error without a message of its own.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
