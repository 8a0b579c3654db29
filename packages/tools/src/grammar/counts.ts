import type { FlatSchema } from './flatten.ts';
import type { Warn } from './warning.ts';

/** Servers refuse grammars that repeat a part more often. */
const MOST = 1_000;

/** A count keyword; one that is too large for a grammar is warned of and left out. */
export function countOf(schema: FlatSchema, keyword: string, at: string, warn: Warn): number | undefined {
  const count = schema[keyword];
  if (typeof count !== 'number') return undefined;
  if (count <= MOST) return count;
  warn(at, keyword, 'weaker');
  return undefined;
}
