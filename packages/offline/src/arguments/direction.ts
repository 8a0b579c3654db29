import type { JsonObject } from '@kernel/protocol';
import { wordsOf } from '../language/stem.ts';
import type { Token } from '../language/tokenize.ts';
import type { Slot } from './argument-slots.ts';

const SOURCE = new Set([
  'from',
  'source',
  'src',
  'origin',
  'start',
  'old',
  'before',
  'since',
  'left',
  'base',
  'departure',
]);
const TARGET = new Set(['to', 'destination', 'dest', 'target', 'end', 'new', 'after', 'until', 'right', 'arrival']);
/** Words that stand before a source or a target in a request. */
const BEFORE_SOURCE = new Set(['from', 'of', 'between', 'out', 'source', 'since']);
const BEFORE_TARGET = new Set([
  'to',
  'into',
  'in',
  'onto',
  'as',
  'toward',
  'towards',
  'until',
  'till',
  'and',
  'with',
  'target',
]);
const SKIPPED = new Set(['the', 'a', 'an', 'file', 'folder', 'directory', 'city', 'my', 'currency']);

/**
 * Whether the direction between two arguments, such as `from` and `to`, is certain: at least one of the two values has its preposition before it, and
 * neither has that of the other. Arguments without a direction are certain.
 */
export function isDirectionCertain(slots: readonly Slot[], input: JsonObject, tokens: readonly Token[]): boolean {
  const sources = slots.filter(({ name }) => wordsOf(name).some((word) => SOURCE.has(word)));
  const targets = slots.filter(({ name }) => wordsOf(name).some((word) => TARGET.has(word)));
  const pairs = sources.flatMap((source) =>
    targets
      .filter(({ kind }) => kind === source.kind)
      .map((target) => [input[source.name], input[target.name]] as const),
  );
  return pairs.every(([source, target]) => {
    if (source === undefined || target === undefined) return source === target;
    const beforeSource = wordBefore(source, tokens);
    const beforeTarget = wordBefore(target, tokens);
    if (source === target || BEFORE_TARGET.has(beforeSource) || BEFORE_SOURCE.has(beforeTarget)) return false;
    return BEFORE_SOURCE.has(beforeSource) || BEFORE_TARGET.has(beforeTarget);
  });
}

/** The word before a value in the request, without articles; empty if the value is not in it as one or more tokens. */
function wordBefore(value: unknown, tokens: readonly Token[]): string {
  const text = String(value).toLowerCase();
  const first = text.split(/\s+/)[0];
  let at = tokens.findIndex((token) => token.text.toLowerCase() === text);
  if (at === -1) at = tokens.findIndex((token) => token.text.toLowerCase() === first);
  do at -= 1;
  while (at >= 0 && SKIPPED.has(tokens[at]?.lower ?? ''));
  return tokens[at]?.lower ?? '';
}
