import type { JsonValue } from '@kernel/protocol';
import { NUMBER_WORDS } from '../language/arithmetic.ts';
import { conceptsOf } from '../language/lexicon.ts';
import { timeZoneOf } from '../language/time-zones.ts';
import type { Token } from '../language/tokenize.ts';
import type { Slot } from './argument-slots.ts';
import { isWithin } from './is-valid.ts';
import { claim, findFree, type SlotFilling } from './slot-filling.ts';

/** Fills a slot whose values have a recognizable shape. Returns `undefined` if the request has no such value. */
export function fillLiteral(filling: SlotFilling, slot: Slot): JsonValue | undefined {
  switch (slot.kind) {
    case 'enum':
      return fillEnum(filling, slot);
    case 'number':
      return fillNumber(filling, slot);
    case 'numbers':
      return slot.required ? fillNumbers(filling) : undefined;
    case 'expression':
      return fillKind(filling, 'expression', 1) ?? (slot.required ? fillKind(filling, 'number', 0.2) : undefined);
    case 'url':
    case 'email':
      return fillKind(filling, slot.kind, 0.6);
    case 'zone':
      return fillTimeZone(filling);
    case 'date':
      return fillDate(filling);
    default:
      return undefined;
  }
}

function fillKind(filling: SlotFilling, kind: Token['kind'], evidence: number): string | undefined {
  const index = findFree(filling, (token) => token.kind === kind);
  return index === -1 ? undefined : claim(filling, index, index, 'exact', evidence);
}

function fillEnum(filling: SlotFilling, { schema }: Slot): JsonValue | undefined {
  const options: readonly unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : [];
  for (const option of options) {
    if (typeof option !== 'string' && typeof option !== 'number') continue;
    const wanted = conceptsOf(String(option));
    const at = findFree(filling, (_, start) =>
      wanted.every((concept, step) => filling.tokens[start + step]?.concept === concept),
    );
    if (at === -1 || wanted.length === 0) continue;
    claim(filling, at, at + wanted.length - 1, 'exact', 0.5);
    return option;
  }
  return undefined;
}

function numberOf({ kind, text, lower }: Token): number | undefined {
  return kind === 'number' ? Number(text.replaceAll(',', '')) : NUMBER_WORDS.get(lower);
}

/** Fills a number next to the argument's name or, if the argument is required or `isLast`, the first one that is in range. */
export function fillNumber(filling: SlotFilling, slot: Slot, isLast = false): number | undefined {
  const isFit = (token: Token) => {
    const value = numberOf(token);
    return value !== undefined && isWithin(value, slot.schema);
  };
  const isNamed = (index: number) => slot.concepts.includes(filling.tokens[index]?.concept ?? '');
  const named = findFree(filling, (token, index) => isFit(token) && (isNamed(index - 1) || isNamed(index + 1)));
  const chosen = named === -1 && (slot.required || isLast) ? findFree(filling, isFit) : named;
  const token = filling.tokens[chosen];
  if (token === undefined) return undefined;
  claim(filling, chosen, chosen, 'exact', 0.4);
  return numberOf(token);
}

function fillNumbers(filling: SlotFilling): JsonValue | undefined {
  const found: number[] = [];
  for (const [index, token] of filling.tokens.entries()) {
    const value = filling.used.has(index) ? undefined : numberOf(token);
    if (value === undefined) continue;
    claim(filling, index, index, 'exact', 0.4);
    found.push(value);
  }
  return found.length === 0 ? undefined : found;
}

const DAYS = ['yesterday', 'today', 'tomorrow'];

/** Fills a date such as `tomorrow` or `2026-11-21`. */
function fillDate(filling: SlotFilling): string | undefined {
  const dayOf = ({ lower }: Token) => DAYS.indexOf(lower.replace(/['’]s$/, ''));
  const isDate = ({ text }: Token) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
  const index = findFree(filling, (token) => isDate(token) || dayOf(token) !== -1);
  const token = filling.tokens[index];
  if (token === undefined) return undefined;
  claim(filling, index, index, 'exact', 0.5);
  if (isDate(token)) return token.text;
  const date = new Date(filling.now + (dayOf(token) - 1) * 86_400_000);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

/** Fills a time zone from its name, or from up to three words that name a place in a known zone. */
function fillTimeZone(filling: SlotFilling): string | undefined {
  for (let length = 3; length >= 1; length -= 1) {
    for (let from = 0; from + length <= filling.tokens.length; from += 1) {
      const part = filling.tokens.slice(from, from + length);
      if (part.some(({ role }, step) => (role === 'stop' && length === 1) || filling.used.has(from + step))) continue;
      const zone = timeZoneOf(part.map(({ text }) => text.replace(/['’]s$/, '')).join(' '));
      if (zone === undefined) continue;
      claim(filling, from, from + length - 1, 'exact', 0.6);
      return zone;
    }
  }
  return undefined;
}
