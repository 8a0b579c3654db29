import type { JsonValue } from '@kernel/protocol';
import { NUMBER_WORDS } from '../language/arithmetic.ts';
import { conceptsOf } from '../language/lexicon.ts';
import { timeZoneOf } from '../language/time-zones.ts';
import type { Token } from '../language/tokenize.ts';
import type { Slot } from './argument-slots.ts';
import { isWithin } from './is-valid.ts';
import { claim, type Fill, findFree, type SlotFilling } from './slot-filling.ts';

const BY_KIND: Partial<Readonly<Record<Slot['kind'], Fill>>> = {
  enum: fillEnum,
  number: fillNumber,
  numbers: fillNumbers,
  expression: (filling, { required }) =>
    fillKind(filling, 'expression', 1) ?? (required ? fillKind(filling, 'number', 0.2) : undefined),
  url: (filling) => fillKind(filling, 'url', 0.6),
  email: (filling) => fillKind(filling, 'email', 0.6),
  zone: fillTimeZone,
  date: fillDate,
};

/** Fills a slot whose values have a recognizable shape. */
export function fillLiteral(filling: SlotFilling, slot: Slot): JsonValue | undefined {
  return BY_KIND[slot.kind]?.(filling, slot);
}

function fillKind(filling: SlotFilling, kind: Token['kind'], evidence: number): string | undefined {
  const index = findFree(filling, (token) => token.kind === kind);
  return index === -1 ? undefined : claim(filling, index, index, 'exact', evidence);
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

function numberOf(token: Token | undefined): number | undefined {
  return token?.kind === 'number' ? Number(token.text.replaceAll(',', '')) : NUMBER_WORDS.get(token?.lower ?? '');
}

/** Fills a number next to the argument's name or, if the argument is required, the first one that is in range. */
function fillNumber(filling: SlotFilling, slot: Slot): number | undefined {
  const isNamed = (index: number) => slot.concepts.includes(filling.tokens[index]?.concept ?? '');
  const named = fillNumberIf(filling, slot, (index) => isNamed(index - 1) || isNamed(index + 1));
  return named ?? (slot.required ? fillAnyNumber(filling, slot) : undefined);
}

export function fillAnyNumber(filling: SlotFilling, slot: Slot): number | undefined {
  return fillNumberIf(filling, slot, () => true);
}

function fillNumberIf(filling: SlotFilling, { schema }: Slot, test: (index: number) => boolean): number | undefined {
  const chosen = findFree(filling, (token, index) => {
    const value = numberOf(token);
    return value !== undefined && isWithin(value, schema) && test(index);
  });
  if (chosen !== -1) claim(filling, chosen, chosen, 'exact', 0.4);
  return numberOf(filling.tokens[chosen]);
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
