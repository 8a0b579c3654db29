import type { JsonObject, JsonValue } from '@kernel/protocol';
import type { ToolProfile } from '../matching/tool-profile.ts';
import { conceptOf } from '../language/lexicon.ts';
import type { Slot } from './argument-slots.ts';
import { stemOf } from '../language/stem.ts';
import { withDirection } from './direction.ts';
import { isWithin } from './is-valid.ts';
import { fillLiteral, fillNumber } from './fill-literal.ts';
import { fillBarePath, fillPath } from './fill-path.ts';
import { fillSearch } from './fill-query.ts';
import { fillRemaining, fillMarkedText, fillNamedText } from './fill-text.ts';
import type { SlotFilling } from './slot-filling.ts';
import type { Token } from '../language/tokenize.ts';

/** Arguments for one call, and the words that they came from. */
export interface FilledArguments {
  /** The arguments, by name, in the order of the schema. */
  readonly input: JsonObject;
  /** The request, with each word marked that an argument uses. */
  readonly filling: SlotFilling;
}

const FIND = conceptOf(stemOf('find'));

type Fill = (filling: SlotFilling, slot: Slot) => JsonValue | undefined;

const PHASES: readonly { readonly fill: Fill; readonly handles: (slot: Slot) => boolean }[] = [
  { fill: fillLiteral, handles: () => true },
  { fill: fillPath, handles: (slot) => slot.kind === 'path' },
  { fill: fillNamedText, handles: isText },
  { fill: fillMarkedText, handles: (slot) => isText(slot) && (slot.required || slot.kind !== 'text') },
  { fill: fillBarePath, handles: (slot) => slot.kind === 'path' && slot.required },
  { fill: fillRemaining, handles: (slot) => isText(slot) && slot.required },
  { fill: fillBarePath, handles: (slot) => slot.kind === 'path' },
  { fill: (filling, slot) => fillNumber(filling, slot, true), handles: (slot) => slot.kind === 'number' },
];

/**
 * Fills a tool's arguments from a request: recognizable shapes first, then marked text, then the remaining words. Returns
 * `undefined` if a required argument stays empty.
 */
export function fillArguments(
  profile: ToolProfile,
  text: string,
  tokens: readonly Token[],
  now: number,
): FilledArguments | undefined {
  const filling: SlotFilling = {
    text,
    tokens,
    used: new Map(),
    terms: profile.terms,
    cues: profile.cues,
    now,
    evidence: 0,
  };
  if (holdsPhrasedValue(filling, profile)) return undefined;
  const filled = fillSlots(filling, profile.slots, searchOrder(filling, profile));
  const input = filled && withDirection(profile.slots, filled, tokens);
  return input && { input, filling };
}

/** Whether a word looks like a value of an argument that only phrases fill, such as `tomorrow`: then it is not a value of another one. */
function holdsPhrasedValue(filling: SlotFilling, { phrasedSlots, terms }: ToolProfile): boolean {
  const own = filling.tokens.flatMap(({ concept }, index) => (terms.has(concept) ? [[index, 'exact'] as const] : []));
  const trial: SlotFilling = { ...filling, used: new Map(own) };
  return phrasedSlots.some((slot) => isLeaf(slot) && fillLiteral(trial, slot) !== undefined);
}

/** The arguments of an explicit search command, if the tool describes itself as a search. */
function searchOrder(filling: SlotFilling, { slots, terms }: ToolProfile): ReadonlyMap<string, JsonValue> {
  const search = slots.find(({ kind, required }) => kind === 'search' && required);
  if (search === undefined || (terms.get(FIND) ?? 0) < 0.8) return new Map();
  const order = fillSearch(filling, slots);
  if (order === undefined) return new Map();
  const path = slots.find(({ kind }) => kind === 'path');
  return new Map([
    [search.name, order.query],
    ...(order.path === undefined || path === undefined ? [] : [[path.name, order.path] as const]),
  ]);
}

function fillSlots(
  filling: SlotFilling,
  slots: readonly Slot[],
  known: ReadonlyMap<string, JsonValue> = new Map(),
): JsonObject | undefined {
  const values = new Map(known);
  const ordered = [...slots].toSorted((a, b) => Number(b.required) - Number(a.required));
  for (const { fill, handles } of PHASES) {
    for (const slot of ordered) {
      if (values.has(slot.name) || !isLeaf(slot) || !handles(slot)) continue;
      const value = fill(filling, slot);
      if (value !== undefined && isWithin(value, slot.schema)) values.set(slot.name, value);
    }
  }
  for (const slot of ordered) {
    const value = isLeaf(slot) ? undefined : fillNested(filling, slot);
    if (value !== undefined) values.set(slot.name, value);
  }
  if (slots.some((slot) => slot.required && !values.has(slot.name) && !('default' in slot.schema))) return undefined;
  return Object.fromEntries(slots.flatMap(({ name }) => (values.has(name) ? [[name, values.get(name) ?? null]] : [])));
}

function fillNested(filling: SlotFilling, slot: Slot): JsonValue | undefined {
  if (slot.kind === 'object') return slot.required ? fillSlots(filling, slot.inner) : undefined;
  const [item] = slot.inner;
  if (item === undefined || !slot.required) return undefined;
  const items: JsonValue[] = [];
  for (;;) {
    const next = fillSlots(filling, [item])?.[item.name];
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
