import type { JsonValue } from '@kernel/protocol';
import { NUMBER_WORDS } from '../language/arithmetic.ts';
import { conceptsOf } from '../language/lexicon.ts';
import { timeZoneOf } from '../language/time-zones.ts';
import type { Token } from '../language/tokenize.ts';
import type { Slot } from './argument-slots.ts';
import { isWithin } from './is-valid.ts';
import { agreement, claimPath, isBarePath, isKnown, isName, isPath, isPathWord } from './paths.ts';
import { claim, findFree, isUnclaimed, type SlotFilling } from './slot-filling.ts';

type Fill = (filling: SlotFilling, slot: Slot) => JsonValue | undefined;

interface Place {
  readonly filling: SlotFilling;
  readonly slot: Slot;
  readonly token: Token;
  readonly index: number;
  readonly before: string;
  readonly after: string;
}

const TEXT_CUES = /^(?:in|for|at|of|to|from|near|named|called|with|as|about)$/;
const PATH_CUES = /^(?:in|inside|under|within|from|of|at|into|below|named|called|folder|directory|file|path|dir)$/;

/** What the values of each kind look like: recognizable shapes first, then marked text, then the remaining words. */
export const RULES: readonly (readonly [kind: Slot['kind'], fill: Fill])[] = [
  ['enum', fillEnum],
  ['number', word(0.4, (place) => isNumber(place) && isBesideName(place))],
  ['number', word(0.4, (place) => isNumber(place) && place.slot.required)],
  ['numbers', fillNumbers],
  ['expression', word(1, ({ token }) => token.kind === 'expression')],
  ['expression', word(0.2, ({ token, slot }) => token.kind === 'number' && slot.required)],
  ['url', word(0.6, ({ token }) => token.kind === 'url')],
  ['email', word(0.6, ({ token }) => token.kind === 'email')],
  ['zone', fillTimeZone],
  ['date', word(0.5, ({ token, filling }) => dateOf(token, filling.now) !== undefined)],
  ['path', word(0.5, ({ token, slot }) => isPath(token) && agreement(token, slot) > 0)],
  ['path', word(0.5, ({ token }) => isPath(token))],
  ['path', word(0.4, (place) => isPathWord(place.after, place.slot) && isFree(place) && isName(place.token))],
  ['path', word(0.35, ({ before, slot, token }) => isPathCue(before, slot) && isName(token))],
  ['path', word(0.3, ({ slot, token }) => token.kind === 'quoted' && slot.required)],
  ['text', word(0.35, (place) => place.before === place.slot.name.toLowerCase() && isFree(place))],
  ['text', word(0.35, (place) => isAfterName(place) && isFree(place), endOfRun)],
  ['text', word(0.4, ({ token, slot }) => token.kind === 'quoted' && isMarked(slot))],
  ['text', word(0.3, ({ before, slot }) => before === 'saying' && isMarked(slot), lastOf)],
  ['text', word(0.3, (place) => TEXT_CUES.test(place.before) && isFree(place) && isMarked(place.slot), endOfRun)],
  ['path', word(0.5, ({ filling, index, slot }) => isKnown(filling, index) && isBarePath(filling, index, slot))],
  ['path', word(0.3, ({ filling, index, slot }) => isBarePath(filling, index, slot))],
  ['text', word(0, (place) => place.index > 0 && isCapital(place) && isFree(place) && place.slot.required, endOfRun)],
  ['text', word(0, (place) => isFree(place) && place.slot.required, endOfRun)],
  ['number', word(0.4, isNumber)],
];

/** Fills in the first free word that fits, up to an end. What gives no evidence could be anything. */
function word(
  evidence: number,
  isFit: (place: Place) => boolean,
  endOf: (filling: SlotFilling, index: number) => number = (_, index) => index,
): Fill {
  return (filling, slot) => {
    const textAt = (index: number) => filling.tokens[index]?.lower ?? '';
    const at = findFree(filling, (token, index) =>
      isFit({ filling, slot, token, index, before: textAt(index - 1), after: textAt(index + 1) }),
    );
    const token = filling.tokens[at];
    if (token === undefined) return undefined;
    if (slot.kind === 'path') return claimPath(filling, slot, at, evidence);
    const text = claim(filling, at, endOf(filling, at), evidence === 0 ? 'free' : 'exact', evidence);
    return slot.kind === 'number' ? numberOf(token) : slot.kind === 'date' ? dateOf(token, filling.now) : text;
  };
}

function isFree({ filling, index }: Place): boolean {
  return isUnclaimed(filling, index);
}

function isBesideName({ filling, index, slot }: Place): boolean {
  return [index - 1, index + 1].some((at) => slot.concepts.includes(filling.tokens[at]?.concept ?? ''));
}

function isAfterName({ filling, index, slot }: Place): boolean {
  const before = filling.tokens[index - 1];
  return before !== undefined && before.role !== 'stop' && before.concept === slot.concepts.at(-1);
}

function isMarked({ name, required }: Slot): boolean {
  return required || /^(?:city|place|location|country|town)$/.test(name);
}

/** `of` introduces a path only if the argument is a file or a folder: "the contents of apps", not "the meaning of life". */
function isPathCue(before: string, { target }: Slot): boolean {
  return PATH_CUES.test(before) && (before !== 'of' || target !== 'any');
}

function isCapital({ token }: Place): boolean {
  const first = token.text.charAt(0);
  return first !== first.toLowerCase();
}

function endOfRun(filling: SlotFilling, from: number): number {
  let to = from;
  while (isUnclaimed(filling, to + 1) && filling.tokens[to + 1]?.kind !== 'expression') to += 1;
  return to;
}

function lastOf({ tokens }: SlotFilling): number {
  return tokens.length - 1;
}

function isNumber({ token, slot }: Place): boolean {
  const value = numberOf(token);
  return value !== undefined && isWithin(value, slot.schema);
}

function numberOf({ kind, lower, text }: Token): number | undefined {
  return kind === 'number' ? Number(text.replaceAll(',', '')) : NUMBER_WORDS.get(lower);
}

function dateOf({ lower, text }: Token, now: number): string | undefined {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Number.isNaN(Date.parse(text)) ? undefined : text;
  const day = ['yesterday', 'today', 'tomorrow'].indexOf(lower.replace(/['’]s$/, ''));
  if (day === -1) return undefined;
  const date = new Date(now + (day - 1) * 86_400_000);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

function fillEnum(filling: SlotFilling, { schema }: Slot): JsonValue | undefined {
  const options: readonly unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : [];
  for (const option of options) {
    const wanted = typeof option === 'string' ? conceptsOf(option) : [];
    const at = findFree(filling, (_, start) =>
      wanted.every((concept, step) => filling.tokens[start + step]?.concept === concept),
    );
    if (typeof option !== 'string' || wanted.length === 0 || at === -1) continue;
    claim(filling, at, at + wanted.length - 1, 'exact', 0.5);
    return option;
  }
  return undefined;
}

function fillNumbers(filling: SlotFilling, { required }: Slot): JsonValue | undefined {
  const found = [...filling.tokens.entries()].flatMap(([index, token]) => {
    const value = required && !filling.used.has(index) ? numberOf(token) : undefined;
    if (value === undefined) return [];
    claim(filling, index, index, 'exact', 0.4);
    return [value];
  });
  return found.length === 0 ? undefined : found;
}

/** Fills a time zone from its name, or from up to three words that name a place in a known zone. */
function fillTimeZone(filling: SlotFilling): string | undefined {
  const { tokens, used } = filling;
  for (let length = 3; length >= 1; length -= 1) {
    for (let from = 0; from + length <= tokens.length; from += 1) {
      const part = tokens.slice(from, from + length);
      if (part.some(({ role }, step) => (role === 'stop' && length === 1) || used.has(from + step))) continue;
      const zone = timeZoneOf(part.map(({ text }) => text.replace(/['’]s$/, '')).join(' '));
      if (zone === undefined) continue;
      claim(filling, from, from + length - 1, 'exact', 0.6);
      return zone;
    }
  }
  return undefined;
}
