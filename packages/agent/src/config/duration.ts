const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['ns', 1e-6],
]);

/**
 * Converts a duration to milliseconds: text such as `24s`, `1m30s` or `500ms`, or a whole number of nanoseconds. Returns undefined for
 * anything else, negative durations included.
 */
export function parseDuration(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value / 1e6 : undefined;
  if (value === '0') return 0;
  if (typeof value !== 'string' || !/^(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+$/.test(value)) return undefined;
  let total = 0;
  for (const [, count = '', unit = ''] of value.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/gy)) {
    total += Number(count) * (UNIT_MS.get(unit) ?? 0);
  }
  return Number.isFinite(total) ? total : undefined;
}

/** Converts milliseconds to text that `parseDuration` reads: `90000` to `1m30s`. */
export function formatDuration(ms: number): string {
  let rest = Math.round(ms * 1e6);
  let text = '';
  for (const [unit, size] of UNIT_MS) {
    const step = Math.round(size * 1e6);
    const count = Math.floor(rest / step);
    if (count > 0 && unit !== 'µs') text += `${count}${unit}`;
    if (unit !== 'µs') rest -= count * step;
  }
  return text === '' ? '0s' : text;
}
