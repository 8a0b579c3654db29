import type { JsonObject, JsonValue } from '@kernel/protocol';
import { conceptOf } from '../language/lexicon.ts';
import { wordsOf } from '../language/words.ts';
import type { Token } from '../language/tokenize.ts';
import type { ToolProfile } from '../matching/tool-profile.ts';
import type { Slot } from './argument-slots.ts';
import { RULES } from './fill-rules.ts';
import { isWithin } from './is-valid.ts';
import { readSearch } from './read-search.ts';
import { claim, type SlotFilling } from './slot-filling.ts';

export interface FilledArguments {
  readonly input: JsonObject;
  readonly filling: SlotFilling;
}

const FIND = conceptOf('find');
/** Kinds of text with no form of their own. */
const NAMED = /^(?:text|path)$/;
/** Fills a tool's arguments from a request. Returns `undefined` if a required argument stays empty, or a number is for none. */
export function fillArguments(
  { slots, phrasedSlots, terms }: ToolProfile,
  text: string,
  tokens: readonly Token[],
  now: number,
): FilledArguments | undefined {
  const takesNumbers = slots.some(({ kind }) => !/^(?:zone|date|url|email|other)$/.test(kind));
  if (!takesNumbers && tokens.some(({ kind, concept }) => kind === 'number' && !terms.has(concept))) return undefined;
  const filling: SlotFilling = { tokens, used: new Map(), terms, now, evidence: 0 };
  // A word that looks like a value of an argument that only phrases fill, such as `tomorrow`, is not a value of another one.
  const own = tokens.flatMap(({ concept }, index) => (terms.has(concept) ? [[index, 'exact'] as const] : []));
  const trial: SlotFilling = { ...filling, used: new Map(own) };
  const isTaken = (slot: Slot) => RULES.some(([kind, fill]) => slot.kind === kind && fill(trial, slot) !== undefined);
  if (phrasedSlots.some((slot) => !NAMED.test(slot.kind) && isTaken(slot))) return undefined;
  const values = fillSearch(filling, slots, text);
  const ordered = slots.toSorted((a, b) => Number(b.required) - Number(a.required));
  for (const [kind, fill] of RULES) {
    for (const slot of ordered) {
      if (values.has(slot.name) || slot.kind !== kind) continue;
      const value = fill(filling, slot);
      if (value !== undefined && isWithin(value, slot.schema)) values.set(slot.name, value);
    }
  }
  if (slots.some((slot) => slot.required && !values.has(slot.name))) return undefined;
  const input = Object.fromEntries(
    slots.flatMap(({ name }) => (values.has(name) ? [[name, values.get(name) ?? null]] : [])),
  );
  return isDirected(slots, input, tokens) ? { input, filling } : undefined;
}

/** Fills a search as a whole, for a tool that describes itself as one. */
function fillSearch(filling: SlotFilling, slots: readonly Slot[], text: string): Map<string, JsonValue> {
  const values = new Map<string, JsonValue>();
  const query = slots.find(({ kind, required }) => kind === 'search' && required);
  const path = slots.find(({ kind }) => kind === 'path');
  const isSearch = query !== undefined && (filling.terms.get(FIND) ?? 0) >= 0.8;
  const search = isSearch ? readSearch(text, filling.terms, path !== undefined) : undefined;
  if (query === undefined || search === undefined) return values;
  claim(filling, 0, filling.tokens.length - 1, 'exact', search.evidence);
  values.set(query.name, search.query);
  if (path !== undefined && search.path !== undefined) values.set(path.name, search.path);
  return values;
}

const TARGET = /^(?:to|destination|dest|dst|target|end|new|after|until|right|arrival)$/;
const BEFORE_TARGET = ['to', 'into', 'onto', 'as', 'until'];
const BETWEEN = /^(?:the|an?|file|folder|directory|path|city|my|currency)$/;

const isTarget = ({ name }: Slot): boolean => wordsOf(name).some((word) => TARGET.test(word));

/**
 * Whether a value that could be the source of a target, such as `to`, stands right before it, with a preposition of a target between them and none before the
 * source. Otherwise nobody can say which is which.
 */
function isDirected(slots: readonly Slot[], input: JsonObject, tokens: readonly Token[]): boolean {
  const words = tokens.map(({ text }) => text.toLowerCase()).filter((word) => !BETWEEN.test(word));
  const said = ` ${words.join(' ')} `;
  return slots.filter(isTarget).every(({ kind, name }) => {
    const isAlike = (slot: Slot) => slot.kind === kind || (NAMED.test(slot.kind) && NAMED.test(kind));
    const sources = slots.filter((slot) => !isTarget(slot) && isAlike(slot));
    return sources.every((source) => {
      const [from, to] = [textOf(input[source.name]), textOf(input[name])];
      if (from === undefined && to === undefined) return true;
      const forms = BEFORE_TARGET.map((word) => ` ${from ?? ''} ${word} ${to ?? ''} `.toLowerCase());
      const form = forms.find((each) => said.includes(each));
      const before = form === undefined ? undefined : said.slice(0, said.indexOf(form)).split(' ').at(-1);
      return before !== undefined && !/^(?:to|into|onto|as|over|towards?|until|with|of)$/.test(before);
    });
  });
}

function textOf(value: JsonValue | undefined): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}
