/** A duration for people: `3 ms`, `1.2 s`, `2 min 5 s`, `1 h 3 min`. */
export function durationText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
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
