import type { JsonValue } from '@kernel/protocol';
import { ACTION_STEMS, LETTER_OR_DIGIT } from '../language/lexicon.ts';
import { timeZoneOf } from '../language/time-zones.ts';
import type { Token } from '../language/tokenize.ts';
import type { Slot } from './argument-slots.ts';

export interface SlotFilling {
  readonly tokens: readonly Token[];
  /** How each claimed token, by index, was recognized: `exact` by its shape or a cue, `free` because it was left over. */
  readonly used: Map<number, 'exact' | 'free'>;
  /** Concepts that the tool itself mentions: words about the tool, not values. */
  readonly terms: ReadonlyMap<string, number>;
  evidence: number;
}

/** A token that no argument has claimed, and an argument that is to be filled. */
export interface SlotToken {
  readonly filling: SlotFilling;
  readonly slot: Slot;
  readonly token: Token;
  readonly index: number;
  readonly before: string;
  readonly after: string;
  readonly isFree: boolean;
}

export type Found = readonly [value: JsonValue, to: number, more?: number];

const DAY = /^(?:yesterday|today|tomorrow|\d{4}-\d{2}-\d{2})(?:['’]s)?$/;

/** Whether a token is a content word that no argument has claimed, the tool does not mention, and nobody takes for a day. */
export function isFree({ tokens, used, terms }: SlotFilling, index: number): boolean {
  const token = tokens[index];
  if (token?.role !== 'content' || used.has(index) || DAY.test(token.lower)) return false;
  return token.kind !== 'word' || !terms.has(token.concept);
}

const PATH_WORDS = /^(?:folders?|director(?:y|ies)|dirs?|files?|workspace|project|repo|repository|tree)$/;
const CUES = /^(?:in|inside|under|within|from|of|at|into|below|named|called|folder|directory|file|path|dir)$/;
const NOT_BEFORE_PATH = /^(?:of|to|its|their|your|the|my|our|this|that|an?)$/;
const NAME = new RegExp(`^[${LETTER_OR_DIGIT}_@][${LETTER_OR_DIGIT}._@-]*$`);

export function readPath(place: SlotToken, isSure: boolean): Found | undefined {
  const { kind, text } = place.token;
  const isWritten =
    kind === 'path' || (kind === 'quoted' && (place.slot.required || /^\S*(?:\/|\.[a-z])\S*$/i.test(text)));
  const isPath = isWritten && timeZoneOf(text) === undefined && (!isSure || agreement(place) > 0);
  return isPath ? pathOf(place) : undefined;
}

/** Fills an argument with a bare word that a word beside it calls a path, or that is the only one left, as in `ls packages`. */
export function readName(place: SlotToken): Found | undefined {
  const { after, before, slot, token } = place;
  if (!isName(token)) return undefined;
  const isCalled = PATH_WORDS.test(after) && after !== 'files' && (slot.target === 'file' || after !== 'file');
  // `of` introduces a path only if the argument is a file or a folder: "the contents of apps", not "the meaning of life".
  const isCued = CUES.test(before) && (before !== 'of' || slot.target !== 'any');
  return (isCalled && place.isFree) || isCued ? pathOf(place) : undefined;
}

export function readBareName(place: SlotToken): Found | undefined {
  const { after, before, filling, index, slot, token } = place;
  const { tokens, used } = filling;
  if (slot.target === 'any' || !isName(token) || !place.isFree) return undefined;
  if (tokens.some((_, at) => at !== index && isFree(filling, at))) return undefined;
  const head = tokens.findIndex(({ role }) => role !== 'stop');
  if (index === head && tokens.some(({ role }, at) => at !== index && role !== 'stop')) return undefined;
  // After another word it is that word's object: `which files mention undici`.
  const isObject = tokens[index - 1]?.role === 'content' && index - 1 !== head && !used.has(index - 1);
  // `markdown files` are a kind of file, not files in a folder of that name.
  const isOther = after === 'files' || NOT_BEFORE_PATH.test(before) || (isObject && !PATH_WORDS.test(before));
  return isOther ? undefined : pathOf(place);
}

function pathOf(place: SlotToken): Found {
  const said = targetWord(place.after) ?? targetWord(place.before);
  const isSaid = said !== undefined && place.slot.target !== 'any';
  return [place.token.text, place.index, isSaid ? (said === place.slot.target ? 0.3 : -0.8) : agreement(place)];
}

function isName({ kind, role, lower, concept, text }: Token): boolean {
  if (kind !== 'word' || role !== 'content' || PATH_WORDS.test(lower)) return false;
  if (ACTION_STEMS.has(concept) || /[a-z][A-Z]/.test(text)) return false;
  return NAME.test(text) && timeZoneOf(text) === undefined;
}

function targetWord(word: string): Slot['target'] | undefined {
  return word === 'file' ? 'file' : /^(?:folder|directory|dir)$/.test(word) ? 'folder' : undefined;
}

function agreement({ token, slot: { target } }: SlotToken): number {
  const base = token.text.split('/').at(-1) ?? '';
  const isFolder = /^\.{0,2}$/.test(base);
  if (target === 'any' || (!isFolder && /^\.[^.]+$/.test(base))) return 0;
  const hasSlash = token.text.includes('/');
  const isFile = !isFolder && ((token.kind === 'path' && !hasSlash) || /.\.[a-z0-9]{1,9}$/i.test(base));
  if (isFile === (target === 'file')) return 0.3;
  return isFile ? -0.8 : hasSlash ? -0.5 : -0.2;
}
