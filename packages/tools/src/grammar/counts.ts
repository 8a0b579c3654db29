import type { FlatSchema } from './flatten.ts';
import type { Warn } from './warning.ts';

/** Servers reject grammars with more repetitions. */
const MAX_COUNT = 1_000;

/** Returns the value of a count keyword. Ignores one that is too large for a grammar, with a warning. */
export function countOf(schema: FlatSchema, keyword: string, pointer: string, warn: Warn): number | undefined {
  const count = schema[keyword];
  if (typeof count !== 'number') return undefined;
  if (count <= MAX_COUNT) return count;
  warn(pointer, keyword, 'weaker');
  return undefined;
}
