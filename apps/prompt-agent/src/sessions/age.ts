import { usageError } from '../usage-error.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The units of `--older-than`, in milliseconds. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['m', MINUTE_MS],
  ['h', HOUR_MS],
  ['d', DAY_MS],
  ['w', 7 * DAY_MS],
]);

/** Parses an age such as `30d`, in milliseconds. Throws a usage error that names the flag. */
export function parseAge(flag: string, text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  const unitMs = UNITS.get(unit);
  if (unitMs === undefined)
    throw usageError(`${flag} "${text}" must be a number and a unit, such as 30d: m, h, d or w.`);
  return Number(count) * unitMs;
}

/** How long ago a time was, in one unit, such as `3 h`. */
export function ageOf(atMs: number, nowMs: number = Date.now()): string {
  const age = Math.max(0, nowMs - atMs);
  if (age < MINUTE_MS) return `${Math.floor(age / SECOND_MS)} s`;
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min`;
  if (age < 2 * DAY_MS) return `${Math.floor(age / HOUR_MS)} h`;
  return `${Math.floor(age / DAY_MS)} days`;
}
