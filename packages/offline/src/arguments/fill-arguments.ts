import type { JsonObject, JsonValue } from '@kernel/protocol';
import { NUMBER_WORDS } from '../language/arithmetic.ts';
import { dayAfter } from '../language/calendar.ts';
import { conceptOf, conceptsOf, wordsOf } from '../language/lexicon.ts';
import { timeZoneOf } from '../language/time-zones.ts';
import type { Token } from '../language/tokenize.ts';
import { isWithin, type Slot } from './argument-slots.ts';
import {
  type Found,
  isFree,
  type SlotToken,
  readBareName,
  readName,
  readPath,
  type SlotFilling,
} from './slot-tokens.ts';

export interface Filled extends SlotFilling {
  readonly input: JsonObject;
}

type Read = (place: SlotToken, now: number) => Found | undefined;

const TEXT_CUES = /^(?:in|for|at|of|to|from|near|named|called|with|as|about|saying)$/;

/** What the values of each kind look like: recognizable shapes first, then marked text, then the remaining words. What gives no evidence could be anything. */
const RULES: readonly (readonly [kind: Slot['kind'], evidence: number, read: Read])[] = [
  ['enum', 0.5, readEnum],
  [
    'number',
    0.4,
    number(({ before, after, slot }) => [before, after].some((word) => slot.concepts.includes(conceptOf(word)))),
  ],
  ['number', 0.4, number(({ slot }) => slot.required)],
  ['numbers', 0.4, readNumbers],
  ['expression', 1, ({ token, index }) => (token.kind === 'expression' ? [token.text, index] : undefined)],
  ['url', 0.6, ({ token, index }) => (token.kind === 'url' ? [token.text, index] : undefined)],
  ['email', 0.6, ({ token, index }) => (token.kind === 'email' ? [token.text, index] : undefined)],
  ['zone', 0.6, readTimeZone],
  ['date', 0.5, readDate],
  ['path', 0.5, (place) => readPath(place, true)],
  ['path', 0.5, (place) => readPath(place, false)],
  ['path', 0.35, readName],
  ['text', 0.35, run(({ before, slot }) => conceptOf(before) === slot.concepts.at(-1))],
  [
    'text',
    0.4,
    ({ token, index, slot }) => (token.kind === 'quoted' && isMarked(slot) ? [token.text, index] : undefined),
  ],
  ['text', 0.3, run(({ before, slot }) => TEXT_CUES.test(before) && isMarked(slot))],
  ['path', 0.3, readBareName],
  ['text', 0, run(({ slot }) => slot.required)],
  ['number', 0, number(({ filling, after }) => filling.terms.has(conceptOf(after)))],
];

export function fillArguments(
  { slots, terms }: { readonly slots: readonly Slot[]; readonly terms: ReadonlyMap<string, number> },
  tokens: readonly Token[],
  now: number,
): Filled | undefined {
  if (isDirected(slots)) return undefined;
  const filling: SlotFilling = { tokens, used: new Map(), terms, evidence: 0 };
  const values = new Map<string, JsonValue>();
  const ordered = slots.toSorted((a, b) => Number(b.required) - Number(a.required));
  for (const rule of RULES) {
    for (const slot of ordered) {
      const value = rule[0] === slot.kind && !values.has(slot.name) ? fill(filling, slot, rule, now) : undefined;
      if (value !== undefined) values.set(slot.name, value);
    }
  }
  if (slots.some((slot) => slot.required && !values.has(slot.name))) return undefined;
  const entries = slots.map(({ name }) => [name, values.get(name)] as const);
  return {
    ...filling,
    input: Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  };
}

function fill(
  filling: SlotFilling,
  slot: Slot,
  [, evidence, read]: (typeof RULES)[number],
  now: number,
): JsonValue | undefined {
  // What stands behind a comma or a full stop says nothing of a value.
  const wordAt = (index: number, beside: Token) =>
    isBeside(filling.tokens[index], beside) ? (filling.tokens[index]?.lower ?? '') : '';
  for (const [index, token] of filling.tokens.entries()) {
    if (filling.used.has(index)) continue;
    const [before, after] = [wordAt(index - 1, token), wordAt(index + 1, token)];
    const found = read({ filling, slot, token, index, before, after, isFree: isFree(filling, index) }, now);
    if (found === undefined || !isWithin(found[0], slot.schema)) continue;
    for (let at = index; at <= found[1]; at += 1) filling.used.set(at, evidence === 0 ? 'free' : 'exact');
    filling.evidence += evidence + (found[2] ?? 0);
    return found[0];
  }
  return undefined;
}

/** The free words from here on, or all of them after `saying`. */
function run(isFit: (place: SlotToken) => boolean): Read {
  return (place) => {
    const { before, filling, index } = place;
    const isEnd = (token: Token, at: number) =>
      !isFree(filling, at) || !isWord(token) || !isBeside(filling.tokens[at - 1], token);
    const ends = filling.tokens.findIndex((token, at) => at > index && isEnd(token, at));
    const to = ends === -1 || before === 'saying' ? filling.tokens.length : ends;
    if (!place.isFree || !isWord(place.token) || !isFit(place)) return undefined;
    return [
      filling.tokens
        .slice(index, to)
        .map(({ text }) => text)
        .join(' '),
      to - 1,
    ];
  };
}

function number(isFit: (place: SlotToken) => boolean): Read {
  return (place) => {
    const value = numberOf(place.token);
    return value !== undefined && isFit(place) ? [value, place.index] : undefined;
  };
}

function isBeside(one: Token | undefined, other: Token): boolean {
  return one !== undefined && Math.min(Math.abs(other.start - one.end), Math.abs(one.start - other.end)) <= 1;
}

function isWord({ kind }: Token): boolean {
  return kind === 'word' || kind === 'quoted';
}

function isMarked({ name, required }: Slot): boolean {
  return required || /^(?:city|place|location|country|town)$/.test(name);
}

function numberOf({ kind, lower, text }: Token): number | undefined {
  return kind === 'number' ? Number(text.replaceAll(',', '')) : NUMBER_WORDS.get(lower);
}

function readDate({ token: { lower, text }, index }: SlotToken, now: number): Found | undefined {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Number.isNaN(Date.parse(text)) ? undefined : [text, index];
  const day = ['yesterday', 'today', 'tomorrow'].indexOf(lower.replace(/['’]s$/, ''));
  return day === -1 ? undefined : [dayAfter(now, day - 1), index];
}

function readEnum({ filling, index, slot: { schema } }: SlotToken): Found | undefined {
  const options: readonly unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : [];
  for (const option of options) {
    const wanted = typeof option === 'string' ? conceptsOf(option) : [];
    const isSaid = wanted.every((concept, step) => filling.tokens[index + step]?.concept === concept);
    if (typeof option === 'string' && wanted.length > 0 && isSaid) return [option, index + wanted.length - 1];
  }
  return undefined;
}

function readNumbers({ filling, index, slot }: SlotToken): Found | undefined {
  const rest = filling.tokens.slice(index).map((token) => ({ role: token.role, value: numberOf(token) }));
  const length = rest.findIndex(({ role, value }) => value === undefined && role !== 'stop');
  const found = rest.slice(0, length === -1 ? rest.length : length).map(({ value }) => value);
  const to = found.findLastIndex((value) => value !== undefined);
  return to !== -1 && slot.required ? [found.filter((value) => value !== undefined), index + to] : undefined;
}

/** As in `Ho Chi Minh City`. */
const MAX_ZONE_WORDS = 4;

function readTimeZone({ filling, index }: SlotToken): Found | undefined {
  for (let length = MAX_ZONE_WORDS; length >= 1; length -= 1) {
    const part = filling.tokens.slice(index, index + length);
    const isPart = part.some(({ role }, step) => (role === 'stop' && length === 1) || filling.used.has(index + step));
    const zone = isPart ? undefined : timeZoneOf(part.map(({ text }) => text.replace(/['’]s$/, '')).join(' '));
    if (zone !== undefined) return [zone, index + part.length - 1];
  }
  return undefined;
}

const TARGET = /^(?:to|destination|dest|dst|target|end|new|after|until|right|arrival)$/;

/** Whether words could stand for a source or for a target, such as `from` and `to`: nobody can say which is which, so that only a phrase is a call. */
function isDirected(slots: readonly Slot[]): boolean {
  const words = slots.filter(({ kind }) => kind === 'text' || kind === 'path');
  const targets = words.filter(({ name }) => wordsOf(name).some((word) => TARGET.test(word)));
  return targets.length > 0 && targets.length < words.length;
}
