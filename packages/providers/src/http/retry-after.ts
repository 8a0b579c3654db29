import type { HttpHeaders } from './request.ts';

const LONGEST_MS = 60_000;

/** Reads how long a server asks to wait: `retry-after-ms`, else `retry-after` as seconds or date. Junk, the past and over a minute give nothing. */
export function retryAfterMs(headers: HttpHeaders, now: number = Date.now()): number | undefined {
  const exact = inRange(numberOf(headers['retry-after-ms']));
  if (exact !== undefined) return exact;
  const value = headers['retry-after'];
  const seconds = numberOf(value);
  if (seconds !== undefined) return inRange(seconds * 1000);
  return typeof value === 'string' ? inRange(Date.parse(value) - now) : undefined;
}

function numberOf(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

function inRange(ms: number | undefined): number | undefined {
  return ms !== undefined && ms >= 0 && ms <= LONGEST_MS ? Math.round(ms) : undefined;
}
