import type { JsonObject, JsonValue } from '@kernel/protocol';
import type { ToolProfile } from './profile.ts';
import { conceptOf } from './lexicon.ts';
import type { Slot } from './slots.ts';
import { stemOf } from './stem.ts';
import { takeLiteral, takeNumber } from './take-literal.ts';
import { takeBarePath, takePath } from './take-path.ts';
import { takeSearch } from './take-query.ts';
import { takeLeftOver, takeMarkedText, takeNamedText } from './take-text.ts';
import type { Taking } from './taking.ts';
import type { Token } from './tokens.ts';

/** Arguments for one call, and which words they came from. */
export interface Filled {
  readonly input: JsonObject;
  readonly taking: Taking;
}

const FIND = conceptOf(stemOf('find'));

type Take = (taking: Taking, slot: Slot) => JsonValue | undefined;

const PHASES: readonly { readonly take: Take; readonly handles: (slot: Slot) => boolean }[] = [
  { take: takeLiteral, handles: () => true },
  { take: takePath, handles: (slot) => slot.kind === 'path' },
  { take: takeNamedText, handles: isText },
  { take: takeMarkedText, handles: (slot) => isText(slot) && (slot.required || slot.kind !== 'text') },
  { take: takeBarePath, handles: (slot) => slot.kind === 'path' && slot.required },
  { take: takeLeftOver, handles: (slot) => isText(slot) && slot.required },
  { take: takeBarePath, handles: (slot) => slot.kind === 'path' },
  { take: (taking, slot) => takeNumber(taking, slot, true), handles: (slot) => slot.kind === 'number' },
];

/**
 * Fills a tool's arguments from a request: recognisable shapes first, then marked text, then what is left over. Returns nothing
 * where a required argument stays empty.
 */
export function fillArguments(
  profile: ToolProfile,
  text: string,
  tokens: readonly Token[],
  now: number,
): Filled | undefined {
  const taking: Taking = { text, tokens, used: new Map(), terms: profile.terms, cues: profile.cues, now, evidence: 0 };
  const input = fillSlots(taking, profile.slots, searchOrder(taking, profile));
  return input === undefined ? undefined : { input, taking };
}

/** The arguments that an explicit order to search gives, where the tool searches by its own words. */
function searchOrder(taking: Taking, { slots, terms }: ToolProfile): ReadonlyMap<string, JsonValue> {
  const search = slots.find(({ kind, required }) => kind === 'search' && required);
  if (search === undefined || (terms.get(FIND) ?? 0) < 0.8) return new Map();
  const order = takeSearch(taking, slots);
  if (order === undefined) return new Map();
  const place = slots.find(({ kind }) => kind === 'path');
  return new Map([
    [search.name, order.query],
    ...(order.path === undefined || place === undefined ? [] : [[place.name, order.path] as const]),
  ]);
}

function fillSlots(
  taking: Taking,
  slots: readonly Slot[],
  given: ReadonlyMap<string, JsonValue> = new Map(),
): JsonObject | undefined {
  const values = new Map(given);
  const ordered = [...slots].toSorted((a, b) => Number(b.required) - Number(a.required));
  for (const { take, handles } of PHASES) {
    for (const slot of ordered) {
      if (values.has(slot.name) || !isLeaf(slot) || !handles(slot)) continue;
      const value = take(taking, slot);
      if (value !== undefined && isWithin(value, slot)) values.set(slot.name, value);
    }
  }
  for (const slot of ordered) {
    const value = isLeaf(slot) ? undefined : fillNested(taking, slot);
    if (value !== undefined) values.set(slot.name, value);
  }
  if (slots.some((slot) => slot.required && !values.has(slot.name) && !('default' in slot.schema))) return undefined;
  return Object.fromEntries(slots.flatMap(({ name }) => (values.has(name) ? [[name, values.get(name) ?? null]] : [])));
}

function fillNested(taking: Taking, slot: Slot): JsonValue | undefined {
  if (slot.kind === 'object') return slot.required ? fillSlots(taking, slot.inner) : undefined;
  const [item] = slot.inner;
  if (item === undefined || !slot.required) return undefined;
  const items: JsonValue[] = [];
  for (;;) {
    const next = fillSlots(taking, [item])?.[item.name];
    if (next === undefined || items.length === 64) break;
    items.push(next);
  }
  return items.length === 0 ? undefined : items;
}

function isLeaf(slot: Slot): boolean {
  return slot.kind !== 'array' && slot.kind !== 'object';
}

function isText(slot: Slot): boolean {
  return slot.kind === 'search' || slot.kind === 'place' || slot.kind === 'message' || slot.kind === 'text';
}

function isWithin(value: JsonValue, { schema }: Slot): boolean {
  if (typeof value !== 'string') return true;
  const { minLength, maxLength, pattern } = schema as Readonly<Record<string, unknown>>;
  if (typeof minLength === 'number' && value.length < minLength) return false;
  if (typeof maxLength === 'number' && value.length > maxLength) return false;
  return typeof pattern !== 'string' || fitsPattern(value, pattern);
}

/** A pattern that this engine cannot read is left to the validator of the toolset. */
function fitsPattern(value: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}
