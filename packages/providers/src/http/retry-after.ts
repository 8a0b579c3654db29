import { asFields, asText } from '../json-fields.ts';
import type { ResponseHeaders } from './headers.ts';

const MAX_WAIT_MS = 60_000;

/** `retry-after-ms`, else `retry-after` as seconds or a date. Undefined for malformed values, dates in the past and more than a minute. */
export function retryAfterMs(headers: ResponseHeaders, now: number = Date.now()): number | undefined {
  const exact = withinRange(parseNumber(headers['retry-after-ms']));
  if (exact !== undefined) return exact;
  const value = headers['retry-after'];
  const seconds = parseNumber(value);
  if (seconds !== undefined) return withinRange(seconds * 1000);
  return typeof value === 'string' ? withinRange(Date.parse(value) - now) : undefined;
}

/** Such as `retryDelay: "34.4s"`. */
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
