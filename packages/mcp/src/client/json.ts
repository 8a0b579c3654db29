import type { JsonValue } from '@kernel/protocol';

/** Parses JSON text. Throws what `JSON.parse` throws. */
export function parseJson(text: string): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse makes nothing else
  return JSON.parse(text) as JsonValue;
}

/** More levels than any honest schema or result has, and far fewer than the stack of whoever walks through it. */
const DEEPEST = 512;

/** Says whether JSON data is nested so deep that walking through it may overflow the stack. Itself it uses none. */
export function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}
