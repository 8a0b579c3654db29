import type { JsonObject, JsonValue } from '@kernel/protocol';
import { wordsOf } from '../language/stem.ts';
import type { Token } from '../language/tokenize.ts';
import type { Slot } from './argument-slots.ts';
import { isWithin } from './is-valid.ts';

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
const TARGET = new Set([
  'to',
  'destination',
  'dest',
  'dst',
  'target',
  'end',
  'new',
  'after',
  'until',
  'right',
  'arrival',
]);
/** Words that stand before a source or a target in a request. */
const BEFORE_SOURCE = new Set(['from', 'of', 'between', 'out', 'source', 'since']);
/** Those that only a target has before it, also where no argument is named as a source. */
const BEFORE_NEW_NAME = new Set(['to', 'into', 'onto', 'as', 'over']);
const BEFORE_TARGET = new Set([
  ...BEFORE_NEW_NAME,
  'in',
  'toward',
  'towards',
  'until',
  'till',
  'and',
  'with',
  'target',
]);
const SKIPPED = new Set(['the', 'a', 'an', 'file', 'folder', 'directory', 'path', 'city', 'my', 'currency']);

/** The kinds of arguments whose values are any text. */
const TEXTS: ReadonlySet<Slot['kind']> = new Set(['path', 'text', 'search', 'place', 'message']);

/**
 * Returns the arguments with the value of a source, such as `from`, and of a target, such as `to`, exchanged where the prepositions of the request
 * say so, as in "move to b.txt the file a.txt". Returns `undefined` if the direction is not certain: at least one of the two values must have its
 * preposition before it, and neither that of the other. A path and a new path have a direction too, for which "to b.txt" is enough.
 */
export function withDirection(
  slots: readonly Slot[],
  input: JsonObject,
  tokens: readonly Token[],
): JsonObject | undefined {
  let directed = input;
  const paths = new Set<unknown>(
    tokens.flatMap(({ kind, text }) => (kind === 'path' || kind === 'quoted' ? [text] : [])),
  );
  for (const { source, target, isNamed } of directedPairs(slots)) {
    const [from, to] = [directed[source.name], directed[target.name]];
    if (from === to) {
      if (isNamed && from !== undefined) return undefined;
      continue;
    }
    if (from === undefined || to === undefined) {
      if (isNamed) return undefined;
      continue;
    }
    const turned = { ...directed, [source.name]: to, [target.name]: from };
    const arePaths = [from, to].every((value) => paths.has(value));
    // Of two paths in the request, a word such as "place" is neither.
    if (isNamed && paths.size > 1 && !arePaths && TEXTS.has(source.kind)) return undefined;
    if (!isNamed) {
      const isTurned = BEFORE_NEW_NAME.has(wordBefore(from, tokens)) && !BEFORE_NEW_NAME.has(wordBefore(to, tokens));
      if (arePaths && (isTurned || wordBefore(to, tokens) === 'from')) directed = turned;
    } else if (!isCertain(from, to, tokens)) {
      const canTurn = isCertain(to, from, tokens) && isWithin(to, source.schema) && isWithin(from, target.schema);
      if (!canTurn) return undefined;
      directed = turned;
    }
  }
  return directed;
}

/** The arguments that have a direction: a source and a target by their names, or a path beside the only target. */
function directedPairs(slots: readonly Slot[]) {
  const sources = slots.filter((slot) => hasWordOf(slot, SOURCE));
  const targets = slots.filter((slot) => hasWordOf(slot, TARGET));
  const others = slots.filter((slot) => slot.required && TEXTS.has(slot.kind) && !targets.includes(slot));
  const pairs = sources.flatMap((source) =>
    targets
      .filter((target) => target.kind === source.kind || (TEXTS.has(target.kind) && TEXTS.has(source.kind)))
      .map((target) => ({ source, target, isNamed: true })),
  );
  const [source, target] = [others[0], targets[0]];
  if (pairs.length > 0 || others.length !== 1 || targets.length !== 1 || source === undefined || target === undefined)
    return pairs;
  return TEXTS.has(target.kind) ? [{ source, target, isNamed: false }] : [];
}

function hasWordOf({ name }: Slot, names: ReadonlySet<string>): boolean {
  return wordsOf(name).some((word) => names.has(word));
}

function isCertain(source: JsonValue, target: JsonValue, tokens: readonly Token[]): boolean {
  const [beforeSource, beforeTarget] = [wordBefore(source, tokens), wordBefore(target, tokens)];
  if (BEFORE_TARGET.has(beforeSource) || BEFORE_SOURCE.has(beforeTarget)) return false;
  return BEFORE_SOURCE.has(beforeSource) || BEFORE_TARGET.has(beforeTarget);
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
