import type { JsonValue } from '@kernel/protocol';
import { NUMBER_WORDS } from '../language/arithmetic.ts';
import { conceptOf } from '../language/lexicon.ts';
import { fillDateTime } from './fill-date-time.ts';
import type { Slot } from './argument-slots.ts';
import { isWithin } from './is-valid.ts';
import { stemOf, wordsOf } from '../language/stem.ts';
import { claim, type SlotFilling } from './slot-filling.ts';
import type { Token } from '../language/tokenize.ts';
import { timeZoneOf } from '../language/time-zones.ts';

/** Fills a slot whose values have a recognizable shape. Returns `undefined` if the request has no such value. */
export function fillLiteral(filling: SlotFilling, slot: Slot): JsonValue | undefined {
  switch (slot.kind) {
    case 'enum':
      return fillEnum(filling, slot);
    case 'boolean':
      return fillBoolean(filling, slot);
    case 'number':
      return fillNumber(filling, slot);
    case 'expression':
      return claimKind(filling, 'expression', 1) ?? (slot.required ? claimKind(filling, 'number', 0.2) : undefined);
    case 'url':
    case 'email':
      return claimKind(filling, slot.kind, 0.6);
    case 'zone':
      return fillTimeZone(filling);
    case 'date':
    case 'clock':
      return fillDateTime(filling, slot.kind, slot.schema['format'] === 'date-time');
    case 'array':
    case 'object':
    case 'path':
    case 'search':
    case 'place':
    case 'message':
    case 'text':
      return undefined;
  }
}

function claimKind(filling: SlotFilling, kind: Token['kind'], evidence: number): string | undefined {
  const index = filling.tokens.findIndex((token, at) => token.kind === kind && !filling.used.has(at));
  if (index === -1) return undefined;
  claim(filling, index, index, 'exact', evidence);
  return filling.tokens[index]?.text;
}

function fillEnum(filling: SlotFilling, slot: Slot): JsonValue | undefined {
  if ('const' in slot.schema) return toJson(slot.schema['const']);
  const options: readonly unknown[] = Array.isArray(slot.schema['enum']) ? slot.schema['enum'] : [];
  for (const option of options) {
    const wanted = wordsOf(String(option)).map((word) => conceptOf(stemOf(word)));
    const at = filling.tokens.findIndex(
      (_, start) => wanted.length > 0 && wanted.every((concept, step) => matches(filling, start + step, concept)),
    );
    if (at === -1) continue;
    claim(filling, at, at + wanted.length - 1, 'exact', 0.5);
    return toJson(option);
  }
  return undefined;
}

function matches(filling: SlotFilling, index: number, concept: string): boolean {
  const token = filling.tokens[index];
  return (
    token !== undefined &&
    !filling.used.has(index) &&
    (token.concept === concept || conceptOf(stemOf(token.text)) === concept)
  );
}

function toJson(value: unknown): JsonValue | undefined {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : undefined;
}

function fillBoolean(filling: SlotFilling, slot: Slot): boolean | undefined {
  const at = filling.tokens.findIndex(
    (token, index) => !filling.used.has(index) && token.role !== 'stop' && slot.concepts.includes(token.concept),
  );
  if (at === -1) return undefined;
  claim(filling, at, at, 'exact', 0.2);
  return !filling.tokens
    .slice(Math.max(0, at - 2), at)
    .some(({ lower }) => /^(?:not|no|without|don't|never)$/.test(lower));
}

/** Fills a number next to the argument's name or, if the argument is required or `isLast`, the first one that is in range. */
export function fillNumber(filling: SlotFilling, slot: Slot, isLast = false): number | undefined {
  const candidates = filling.tokens.flatMap((token, index) => {
    const value = token.kind === 'number' ? Number(token.text.replaceAll(',', '')) : NUMBER_WORDS.get(token.lower);
    return value === undefined || filling.used.has(index) || !isWithin(value, slot.schema) ? [] : [{ index, value }];
  });
  const named = candidates.find(({ index }) =>
    [index - 1, index + 1].some((beside) => slot.concepts.includes(filling.tokens[beside]?.concept ?? '')),
  );
  const chosen = named ?? (slot.required || isLast ? candidates[0] : undefined);
  if (chosen !== undefined) claim(filling, chosen.index, chosen.index, 'exact', 0.4);
  return chosen?.value;
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
