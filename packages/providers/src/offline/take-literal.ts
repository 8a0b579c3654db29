import type { JsonValue } from '@kernel/protocol';
import { numberWord } from './expression.ts';
import { conceptOf } from './lexicon.ts';
import type { Slot } from './slots.ts';
import { stemOf, wordsOf } from './stem.ts';
import { take, type Taking } from './taking.ts';
import type { Token } from './tokens.ts';
import { zoneOf } from './zones.ts';

/** Takes the value of a slot whose shape can be recognised; returns nothing where the request has none. */
export function takeLiteral(taking: Taking, slot: Slot): JsonValue | undefined {
  switch (slot.kind) {
    case 'enum':
      return takeEnum(taking, slot);
    case 'boolean':
      return takeBoolean(taking, slot);
    case 'number':
      return takeNumber(taking, slot);
    case 'expression':
      return takeKind(taking, 'expression', 1) ?? (slot.required ? takeKind(taking, 'number', 0.2) : undefined);
    case 'url':
    case 'email':
      return takeKind(taking, slot.kind, 0.6);
    case 'zone':
      return takeZone(taking);
    case 'date':
    case 'clock':
      return takeMoment(taking, slot.kind, slot.schema['format'] === 'date-time');
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

function takeKind(taking: Taking, kind: Token['kind'], evidence: number): string | undefined {
  const index = taking.tokens.findIndex((token, at) => token.kind === kind && !taking.used.has(at));
  if (index === -1) return undefined;
  take(taking, index, index, 'exact', evidence);
  return taking.tokens[index]?.text;
}

function takeEnum(taking: Taking, slot: Slot): JsonValue | undefined {
  if ('const' in slot.schema) return toJson(slot.schema['const']);
  const options: readonly unknown[] = Array.isArray(slot.schema['enum']) ? slot.schema['enum'] : [];
  for (const option of options) {
    const wanted = wordsOf(String(option)).map((word) => conceptOf(stemOf(word)));
    const at = taking.tokens.findIndex(
      (_, start) => wanted.length > 0 && wanted.every((concept, step) => matches(taking, start + step, concept)),
    );
    if (at === -1) continue;
    take(taking, at, at + wanted.length - 1, 'exact', 0.5);
    return toJson(option);
  }
  return undefined;
}

function matches(taking: Taking, index: number, concept: string): boolean {
  const token = taking.tokens[index];
  return (
    token !== undefined &&
    !taking.used.has(index) &&
    (token.concept === concept || conceptOf(stemOf(token.text)) === concept)
  );
}

function toJson(value: unknown): JsonValue | undefined {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : undefined;
}

function takeBoolean(taking: Taking, slot: Slot): boolean | undefined {
  const at = taking.tokens.findIndex(
    (token, index) => !taking.used.has(index) && token.role !== 'stop' && slot.concepts.includes(token.concept),
  );
  if (at === -1) return undefined;
  take(taking, at, at, 'exact', 0.2);
  return !taking.tokens
    .slice(Math.max(0, at - 2), at)
    .some(({ lower }) => /^(?:not|no|without|don't|never)$/.test(lower));
}

/** Takes a number beside the argument's name; where the argument is required or `isLast`, the first one that fits its range. */
export function takeNumber(taking: Taking, slot: Slot, isLast = false): number | undefined {
  const candidates = taking.tokens.flatMap((token, index) => {
    const value = token.kind === 'number' ? Number(token.text.replaceAll(',', '')) : numberWord(token.lower);
    return value === undefined || taking.used.has(index) || !fits(value, slot) ? [] : [{ index, value }];
  });
  const named = candidates.find(({ index }) =>
    [index - 1, index + 1].some((beside) => slot.concepts.includes(taking.tokens[beside]?.concept ?? '')),
  );
  const chosen = named ?? (slot.required || isLast ? candidates[0] : undefined);
  if (chosen !== undefined) take(taking, chosen.index, chosen.index, 'exact', 0.4);
  return chosen?.value;
}

function fits(value: number, { schema }: Slot): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema as Readonly<Record<string, unknown>>;
  if ([schema['type']].flat().includes('integer') && !Number.isInteger(value)) return false;
  if (typeof minimum === 'number' && value < minimum) return false;
  if (typeof maximum === 'number' && value > maximum) return false;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return false;
  return !(typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum);
}

/** Takes a zone's own name, or up to three words that name a place with a known zone. */
function takeZone(taking: Taking): string | undefined {
  for (let length = 3; length >= 1; length -= 1) {
    for (let from = 0; from + length <= taking.tokens.length; from += 1) {
      const part = taking.tokens.slice(from, from + length);
      if (part.some(({ role }, step) => (role === 'stop' && length === 1) || taking.used.has(from + step))) continue;
      const zone = zoneOf(part.map(({ text }) => text.replace(/['’]s$/, '')).join(' '));
      if (zone === undefined) continue;
      take(taking, from, from + length - 1, 'exact', 0.6);
      return zone;
    }
  }
  return undefined;
}

const DAY_MS = 86_400_000;
const RELATIVE_DAYS = new Map([
  ['yesterday', -1],
  ['today', 0],
  ['tomorrow', 1],
]);

function takeMoment(taking: Taking, kind: 'date' | 'clock', withTime: boolean): string | undefined {
  for (const [index, token] of taking.tokens.entries()) {
    if (taking.used.has(index)) continue;
    const value = kind === 'date' ? readDate(token.text, taking.now, withTime) : readClock(token.lower);
    if (value === undefined) continue;
    take(taking, index, index, 'exact', 0.5);
    return value;
  }
  return undefined;
}

function readDate(text: string, now: number, withTime: boolean): string | undefined {
  const relative = RELATIVE_DAYS.get(text.toLowerCase().replace(/['’]s$/, ''));
  const date =
    relative === undefined
      ? /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/.exec(text)?.[0]
      : localDate(now + relative * DAY_MS);
  if (date === undefined || Number.isNaN(Date.parse(date))) return undefined;
  return withTime && !date.includes('T') ? `${date}T00:00:00Z` : withTime ? date : date.slice(0, 10);
}

function localDate(time: number): string {
  const date = new Date(time);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}

function readClock(lower: string): string | undefined {
  const [, hours, minutes = '00', half] = /^(\d{1,2})(?::(\d{2}))?(am|pm)?$/.exec(lower) ?? [];
  if (hours === undefined || (half === undefined && !lower.includes(':'))) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === 'pm' ? 12 : 0);
  return hour < 24 && Number(minutes) < 60 ? `${String(hour).padStart(2, '0')}:${minutes}` : undefined;
}
