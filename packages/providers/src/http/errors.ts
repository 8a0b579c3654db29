import { type JsonObject, KernelError } from '@kernel/protocol';
import { asFields, asText, parseJson } from '../json-fields.ts';
import type { HttpHeaders } from './request.ts';
import type { Redactor } from './redact.ts';
import { retryAfterMs } from './retry-after.ts';

const EXCERPT_LENGTH = 1000;
const REQUEST_ID_HEADERS = [
  'x-request-id',
  'request-id',
  'apim-request-id',
  'x-ms-request-id',
  'x-amzn-requestid',
  'cf-ray',
];
const RETRYABLE_WORDS = /overload|rate.?limit|server_error|unavailable|timeout|capacity|try again/i;

/** What a vendor says about a failure, found in any of the usual shapes. */
export interface VendorError {
  readonly message: string;
  readonly code?: string;
  readonly type?: string;
  /** An HTTP status that the error object itself names. */
  readonly status?: number;
}

/** Finds an error in a parsed reply: `{error: {message}}`, `{error: "…"}`, `{object: "error", message}`, `{errors: […]}`, `{detail}`, or one of those in an array. */
export function findVendorError(value: unknown): VendorError | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : findVendorError(value[0]);
  const body = asFields(value);
  if (body === undefined) return undefined;
  const error = body['error'];
  if (typeof error === 'string' && error !== '') return describe(body, error);
  const inner = asFields(error);
  if (inner !== undefined) return describe(inner, JSON.stringify(inner));
  if (body['object'] === 'error' || body['type'] === 'error') return describe(body, JSON.stringify(body));
  return undefined;
}

function describe(error: Readonly<Record<string, unknown>>, fallback: string): VendorError {
  const metadata = asFields(error['metadata']);
  const raw = metadata === undefined ? undefined : asText(metadata['raw']);
  const code = error['code'];
  const status = [code, error['status'], error['status_code']]
    .map(Number)
    .find((number) => number >= 400 && number < 600);
  const type = asText(error['type']);
  const named = typeof code === 'string' ? code : asText(asFields(error['innererror'])?.['code']);
  return {
    message: (asText(error['message']) ?? fallback) + (raw === undefined ? '' : ` (${raw})`),
    ...(named === undefined ? {} : { code: named }),
    ...(type === undefined ? {} : { type }),
    ...(status === undefined ? {} : { status }),
  };
}

/** Says whether a status is worth another attempt: 408, 409, 429 and everything from 500. */
function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** The request id of a response, whatever its vendor calls it. */
function requestIdOf(headers: HttpHeaders): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** `PROVIDER_HTTP` for a response that is no success: status, request id, what the vendor says and an excerpt of the body, all redacted. */
export function httpError(
  provider: string,
  status: number,
  headers: HttpHeaders,
  body: string,
  redactor: Redactor,
): KernelError {
  const text = redactor.redact(body);
  const html = htmlTitle(text);
  const vendor = html === undefined ? (findVendorError(parseJson(text)) ?? plainError(text)) : undefined;
  const location = status >= 300 && status < 400 ? headers['location'] : undefined;
  const requestId = requestIdOf(headers);
  const wait = retryAfterMs(headers);
  const said = redactor.redact(html ?? vendor?.message ?? 'an empty body');
  const data: JsonObject = {
    status,
    ...(requestId === undefined ? {} : { requestId: redactor.redact(requestId) }),
    body: html ?? excerpt(text, EXCERPT_LENGTH),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(vendor?.code === undefined ? {} : { vendorCode: redactor.redact(vendor.code) }),
    ...(vendor?.type === undefined ? {} : { vendorType: redactor.redact(vendor.type) }),
  };
  return new KernelError('PROVIDER_HTTP', `${provider} answered ${status}: ${excerpt(said, 300)}`, {
    retryable: shouldRetry(headers, isRetryableStatus(status)),
    hint: hintFor(status, typeof location === 'string' ? redactor.redact(location) : undefined),
    data,
  });
}

/** The error of a reply that failed under status 200: `PROVIDER_HTTP` where the vendor names a status, else `PROVIDER_PROTOCOL`. */
export function failureUnder200(provider: string, error: VendorError, redactor: Redactor): KernelError {
  const message = redactor.redact(error.message);
  const words = `${error.type ?? ''} ${error.code ?? ''} ${message}`;
  return new KernelError(
    error.status === undefined ? 'PROVIDER_PROTOCOL' : 'PROVIDER_HTTP',
    `${provider} failed while it answered: ${excerpt(message, 500)}`,
    {
      retryable: error.status === undefined ? RETRYABLE_WORDS.test(words) : isRetryableStatus(error.status),
      data: {
        ...(error.status === undefined ? {} : { status: error.status }),
        ...(error.code === undefined ? {} : { vendorCode: redactor.redact(error.code) }),
        ...(error.type === undefined ? {} : { vendorType: redactor.redact(error.type) }),
        body: excerpt(message, EXCERPT_LENGTH),
      },
    },
  );
}

/** Says what an HTML page is, by its title; nothing for other text. */
export function htmlTitle(text: string): string | undefined {
  if (!/^\s*(<!doctype html|<html|<head|<body)/i.test(text)) return undefined;
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1]?.trim();
  return title === undefined || title === '' ? 'an HTML page' : `an HTML page: ${excerpt(title, 200)}`;
}

/** The beginning of a text, with `…` where it was cut; never half a character. */
function excerpt(text: string, length: number): string {
  const clean = text.trim();
  return clean.length <= length ? clean : `${clean.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function plainError(text: string): VendorError | undefined {
  const body = asFields(parseJson(text));
  const said = body === undefined ? undefined : (asText(body['message']) ?? asText(body['detail']));
  const message = said ?? text.trim();
  return message === '' ? undefined : { message };
}

function shouldRetry(headers: HttpHeaders, byStatus: boolean): boolean {
  const asked = headers['x-should-retry'];
  return asked === 'true' || (asked !== 'false' && byStatus);
}

function hintFor(status: number, location: string | undefined): string | undefined {
  if (location !== undefined)
    return `Redirects are not followed. If you trust it, set baseUrl to where it points: ${location}`;
  if (status === 401 || status === 403) return 'Check the token and what it may do.';
  if (status === 404) return 'Check baseUrl, and that the model exists there.';
  return undefined;
}
