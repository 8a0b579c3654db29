import { errorMessage, type Redactor } from '@kernel/internal';
import { type JsonObject, KernelError, type KernelErrorOptions } from '@kernel/protocol';
import type { ResponseHeaders } from './transport.ts';
import { timeoutError } from './timeouts.ts';
import { describeHtmlPage, excerpt, readErrorBody, type VendorError, retryAfterMs } from './vendor-error.ts';

const EXCERPT_LENGTH = 1000;
const REQUEST_ID_HEADERS = 'x-request-id request-id apim-request-id x-ms-request-id x-amzn-requestid cf-ray'.split(' ');
const RETRYABLE_WORDS = /overload|rate.?limit|server_error|unavailable|timeout|capacity|try again/i;
const PROTOCOL_CODES = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);
const CONFIG_CODES = new Set(['UND_ERR_INVALID_ARG', 'ERR_INVALID_URL', 'ERR_INVALID_CHAR']);

export function httpError(
  provider: string,
  status: number,
  headers: ResponseHeaders,
  body: string,
  redactor: Redactor,
): KernelError {
  const text = redactor.text(body);
  const page = describeHtmlPage(text);
  const vendor = page === undefined ? readErrorBody(text) : undefined;
  const location = status >= 300 && status < 400 ? headers['location'] : undefined;
  const requestId = requestIdOf(headers);
  const waitMs = retryAfterMs(headers) ?? vendor?.retryAfterMs;
  const reason = redactor.text(page ?? vendor?.message ?? 'an empty body');
  const data: JsonObject = {
    status,
    ...(requestId === undefined ? {} : { requestId: redactor.text(requestId) }),
    body: page ?? excerpt(text, EXCERPT_LENGTH),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    ...(vendor?.code === undefined ? {} : { vendorCode: redactor.text(vendor.code) }),
    ...(vendor?.type === undefined ? {} : { vendorType: redactor.text(vendor.type) }),
  };
  return new KernelError('PROVIDER_HTTP', `${provider} answered ${status}: ${excerpt(reason, 300)}`, {
    retryable: shouldRetry(headers, isRetryableStatus(status)),
    hint:
      hintFor(status, typeof location === 'string' ? redactor.text(location) : undefined) ?? partHint(status, reason),
    data,
  });
}

export function replyError(provider: string, error: VendorError, redactor: Redactor): KernelError {
  const message = redactor.text(error.message);
  const words = `${error.type ?? ''} ${error.code ?? ''} ${message}`;
  return new KernelError(
    error.status === undefined ? 'PROVIDER_PROTOCOL' : 'PROVIDER_HTTP',
    `${provider} failed during its reply: ${excerpt(message, 500)}`,
    {
      retryable: error.status === undefined ? RETRYABLE_WORDS.test(words) : isRetryableStatus(error.status),
      data: {
        ...(error.status === undefined ? {} : { status: error.status }),
        ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
        ...(error.code === undefined ? {} : { vendorCode: redactor.text(error.code) }),
        ...(error.type === undefined ? {} : { vendorType: redactor.text(error.type) }),
        body: excerpt(message, EXCERPT_LENGTH),
      },
    },
  );
}

export function networkError(provider: string, error: unknown, connectMs: number, redactor: Redactor): KernelError {
  const code = codeOf(error);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return timeoutError(provider, 'connectMs', connectMs);
  const reason = redactor.text(errorMessage(error) || String(error));
  // The original may hold bytes of the response, and so an echoed secret: only its redacted message and its code are kept.
  const cause = Object.assign(new Error(reason), code === undefined ? {} : { code });
  const data = code === undefined ? {} : { errno: code };
  if (code !== undefined && (PROTOCOL_CODES.has(code) || code.startsWith('HPE_'))) {
    return new KernelError('PROVIDER_PROTOCOL', `${provider}: the server does not speak valid HTTP: ${reason}`, {
      cause,
      data,
    });
  }
  if (code !== undefined && CONFIG_CODES.has(code)) {
    return new KernelError('CONFIG_INVALID', `${provider}: the request cannot be sent: ${reason}`, { cause, data });
  }
  return new KernelError('PROVIDER_NETWORK', `${provider}: the connection failed: ${reason}`, {
    retryable: true,
    hint: code === 'ECONNREFUSED' ? 'Nothing listens there: check baseUrl, or start the server.' : undefined,
    cause,
    data,
  });
}

export function protocolError(provider: string, message: string, details?: KernelErrorOptions): KernelError {
  return new KernelError('PROVIDER_PROTOCOL', `${provider}: ${message}`, details);
}

function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

function shouldRetry(headers: ResponseHeaders, byStatus: boolean): boolean {
  const requested = headers['x-should-retry'];
  return requested === 'true' || (requested !== 'false' && byStatus);
}

function requestIdOf(headers: ResponseHeaders): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

function hintFor(status: number, location: string | undefined): string | undefined {
  if (location !== undefined)
    return `Redirects are not followed. If you trust the target, set baseUrl to it: ${location}`;
  if (status === 401 || status === 403) return 'Check the token and its permissions.';
  if (status === 404) return 'Check baseUrl, and that the model exists there.';
  return undefined;
}

/** Names the part of the request that the vendor refuses, if it says which, and what to do. */
function partHint(status: number, reason: string): string | undefined {
  const found = /\b(messages|input|contents|tools|system)((?:\.|\[)\d+\]?[\w.[\]]*)/.exec(status < 500 ? reason : '');
  if (found === null) return undefined;
  const [path, list = '', rest = ''] = found;
  const number = Number(/\d+/.exec(rest)?.[0]) + 1;
  if (list === 'tools')
    return `The vendor refuses tool ${number} of the request (${path}): change its definition, or leave it out.`;
  return `The vendor refuses message ${number} of the request (${path}): change or remove that part of the history.`;
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
