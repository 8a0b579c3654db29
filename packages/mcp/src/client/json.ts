import type { JsonValue } from '@kernel/protocol';

export function parseJson(text: string): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
  return JSON.parse(text) as JsonValue;
}

/** Deeper than any real schema or result, and far less deep than the stack of a recursive function allows. */
const MAX_DEPTH = 512;

/** Whether JSON data is nested so deeply that a recursive function may overflow the stack. Not itself recursive. */
export function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}
