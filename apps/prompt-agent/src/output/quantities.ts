/** A duration for people: `3 ms`, `1.2 s`, `2 min 5 s`, `1 h 3 min`. */
export function durationText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const whole = Math.round(ms / 1000);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** A number of characters for people: `512 characters`, `1.5 million characters`. */
export function sizeText(length: number): string {
  if (length < 1_000_000) return `${countText(length)} characters`;
  return `${(length / 1_000_000).toFixed(1)} million characters`;
}

/** A count with its thousands apart: `12,345`. */
export function countText(count: number): string {
  return count.toLocaleString('en-US');
}

/** Tokens in and out; empty where none were reported. */
export function tokenText(input: number, output: number): string {
  return input === 0 && output === 0 ? '' : `${countText(input)} tokens in, ${countText(output)} out`;
}

/** The first texts of a list, with commas, and how many more there are. */
export function listText(texts: readonly string[], max: number): string {
  const more = texts.length - max;
  return [...texts.slice(0, max), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long ago a time was, in one unit, such as `3 h`. */
export function ageOf(atMs: number, nowMs: number = Date.now()): string {
  const age = Math.max(0, nowMs - atMs);
  if (age < MINUTE_MS) return `${Math.floor(age / SECOND_MS)} s`;
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min`;
  if (age < 2 * DAY_MS) return `${Math.floor(age / HOUR_MS)} h`;
  return `${Math.floor(age / DAY_MS)} days`;
}

/** A time as people say it: `0.4 s`, `12 s`, `3 min 5 s`. */
export function seconds(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const whole = Math.round(ms / 1000);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
