import { sliceHead, truncate } from '@kernel/internal';
import { asFields, asList, asText, type Fields, parseJson } from '../json-fields.ts';
import type { ResponseHeaders } from './transport.ts';

export interface VendorError {
  /** The vendor's text, or the JSON of the error object. */
  readonly message: string;
  readonly code?: string;
  readonly type?: string;
  /** The status that the error object itself names. */
  readonly status?: number;
  readonly retryAfterMs?: number;
}

// `{error: {message}}`, `{error: "…"}`, `{object: "error", message}`, `{type: "error"}`, or one of those in an array. Every shape is accepted on
// every wire, since gateways answer in the shape of another vendor.
export function findVendorError(value: unknown): VendorError | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : findVendorError(value[0]);
  const body = asFields(value);
  if (body === undefined) return undefined;
  const error = body['error'];
  if (typeof error === 'string' && error !== '') return toVendorError(body, error);
  const inner = asFields(error);
  if (inner !== undefined) return toVendorError(inner, JSON.stringify(inner));
  if (body['object'] === 'error' || body['type'] === 'error') return toVendorError(body, JSON.stringify(body));
  return undefined;
}

function toVendorError(error: Fields, fallback: string): VendorError {
  const metadata = asFields(error['metadata']);
  const raw = metadata === undefined ? undefined : asText(metadata['raw']);
  const code = error['code'];
  const status = [code, error['status'], error['status_code']]
    .map(Number)
    .find((number) => number >= 400 && number < 600);
  const type = asText(error['type']);
  const waitMs = retryDelayMs(asList(error['details']));
  const textCode = typeof code === 'string' ? code : asText(asFields(error['innererror'])?.['code']);
  return {
    message: (asText(error['message']) ?? fallback) + (raw === undefined ? '' : ` (${raw})`),
    ...(textCode === undefined ? {} : { code: textCode }),
    ...(type === undefined ? {} : { type }),
    ...(status === undefined ? {} : { status }),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  };
}

export function readErrorBody(text: string): VendorError | undefined {
  const value = parseJson(text);
  const known = findVendorError(value);
  if (known !== undefined) return known;
  const body = asFields(value);
  const message = asText(body?.['message']) ?? asText(body?.['detail']) ?? text.trim();
  return message === '' ? undefined : { message };
}

/** The part of a page in which its title is looked for. */
const HEAD_LENGTH = 16_384;

export function describeHtmlPage(text: string): string | undefined {
  const head = sliceHead(text, HEAD_LENGTH);
  if (!/^\s*(<!doctype html|<html|<head|<body)/i.test(head)) return undefined;
  const start = head.search(/<title/i);
  const open = start === -1 ? -1 : head.indexOf('>', start);
  const end = head.indexOf('<', open + 1);
  const title = open === -1 ? '' : head.slice(open + 1, end === -1 ? undefined : end).trim();
  return title === '' ? 'an HTML page' : `an HTML page: ${excerpt(title, 200)}`;
}

export function excerpt(text: string, length: number): string {
  return truncate(text.trim(), length + 1);
}

const MAX_WAIT_MS = 60_000;

/** Reads `retry-after-ms`, else `retry-after` as seconds or a date. Returns undefined for malformed values, dates in the past and more than a minute. */
export function retryAfterMs(headers: ResponseHeaders, now: number = Date.now()): number | undefined {
  const exact = withinRange(parseNumber(headers['retry-after-ms']));
  if (exact !== undefined) return exact;
  const value = headers['retry-after'];
  const seconds = parseNumber(value);
  if (seconds !== undefined) return withinRange(seconds * 1000);
  return typeof value === 'string' ? withinRange(Date.parse(value) - now) : undefined;
}

/** Reads a field such as `retryDelay: "34.4s"`. */
export function retryDelayMs(details: readonly unknown[]): number | undefined {
  for (const detail of details) {
    const delay = asText(asFields(detail)?.['retryDelay']);
    const seconds = delay?.endsWith('s') === true ? parseNumber(delay.slice(0, -1)) : undefined;
    if (seconds !== undefined) return withinRange(seconds * 1000);
  }
  return undefined;
}

function parseNumber(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

function withinRange(ms: number | undefined): number | undefined {
  return ms !== undefined && ms >= 0 && ms <= MAX_WAIT_MS ? Math.round(ms) : undefined;
}
