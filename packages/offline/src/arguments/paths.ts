import { ACTION_STEMS, WORK_STEMS } from '../language/lexicon.ts';
import { timeZoneOf } from '../language/time-zones.ts';
import { KNOWN_FILES, type Token } from '../language/tokenize.ts';
import { LETTER_OR_DIGIT } from '../language/words.ts';
import type { Slot } from './argument-slots.ts';
import { claim, isUnclaimed, type SlotFilling } from './slot-filling.ts';

const PATH_WORDS = /^(?:folders?|director(?:y|ies)|dirs?|files?|workspace|project|repo|repository|tree)$/;
const NOT_BEFORE_PATH = /^(?:of|to|its|their|your|the|my|our|this|that|an?)$/;
const NAME = new RegExp(`^[${LETTER_OR_DIGIT}_@][${LETTER_OR_DIGIT}._@-]*$`);

/** Whether a word after a name says that it is one. */
export function isPathWord(after: string, { target }: Slot): boolean {
  return PATH_WORDS.test(after) && after !== 'files' && (target === 'file' || after !== 'file');
}

/** Whether a word is the only remaining one, as in `ls packages`, and can be a path: no article or `of` precedes it. */
export function isBarePath(filling: SlotFilling, index: number, slot: Slot): boolean {
  const { tokens, used } = filling;
  const [only, ...more] = [...tokens.keys()].filter((at) => isUnclaimed(filling, at));
  const token = tokens[index];
  if (token === undefined || only !== index || more.length > 0 || slot.target === 'any' || !isName(token)) return false;
  const head = tokens.findIndex(({ role }) => role !== 'stop');
  if (index === head && tokens.some(({ role }, at) => at !== index && role !== 'stop')) return false;
  // `markdown files` are a kind of file, not files in a folder of that name.
  if (tokens[index + 1]?.lower === 'files') return false;
  const previous = tokens[index - 1];
  // After another word it is that word's object: `which files mention undici`.
  const isObject = previous?.role === 'content' && index - 1 !== head && !used.has(index - 1);
  if (isObject && !PATH_WORDS.test(previous.lower)) return false;
  return !NOT_BEFORE_PATH.test(previous?.lower ?? '') || isKnown(filling, index);
}

/** Whether a word of prose is a file that the tool is asked for: `read the license`. */
export function isKnown({ terms, tokens }: SlotFilling, index: number): boolean {
  const head = tokens.find(({ role }) => role !== 'stop');
  const isAsked = (terms.get(head?.concept ?? '') ?? 0) >= 0.9;
  return isAsked && tokens[index - 1]?.lower === 'the' && KNOWN_FILES.has(tokens[index]?.lower ?? '');
}

export function claimPath(filling: SlotFilling, slot: Slot, index: number, evidence: number): string {
  const [previous, token, next] = [filling.tokens[index - 1], filling.tokens[index], filling.tokens[index + 1]];
  const said = targetWord(next) ?? targetWord(previous);
  const isSaid = said !== undefined && slot.target !== 'any';
  const fit = isSaid ? (said === slot.target ? 0.3 : -0.8) : agreement(token, slot);
  const text = claim(filling, index, index, 'exact', evidence + fit);
  return said === undefined && previous?.lower === 'the' ? (KNOWN_FILES.get(text) ?? text) : text;
}

export function isPath({ kind, text }: Token): boolean {
  const isWritten = kind === 'path' || (kind === 'quoted' && /^\S*(?:\/|\.[a-z])\S*$/i.test(text));
  return isWritten && timeZoneOf(text) === undefined;
}

/** Whether a bare word can be the name of a folder or a file, not of a city or an action. */
export function isName({ kind, role, lower, concept, text }: Token): boolean {
  if (kind !== 'word' || role !== 'content' || PATH_WORDS.test(lower)) return false;
  if (ACTION_STEMS.has(concept) || WORK_STEMS.has(concept) || /[a-z][A-Z]/.test(text)) return false;
  return NAME.test(text) && timeZoneOf(text) === undefined;
}

function targetWord(token: Token | undefined): 'file' | 'folder' | undefined {
  const word = token?.lower ?? '';
  return word === 'file' ? 'file' : /^(?:folder|directory|dir)$/.test(word) ? 'folder' : undefined;
}

/** How well the form of a name (an extension, a trailing slash) agrees with what the slot is for. */
export function agreement(token: Token | undefined, { target }: Slot): number {
  const base = token?.text.split('/').at(-1) ?? '';
  const isFolder = /^\.{0,2}$/.test(base);
  if (token === undefined || target === 'any' || (!isFolder && /^\.[^.]+$/.test(base))) return 0;
  const hasSlash = token.text.includes('/');
  const isBare = token.kind === 'path' && !hasSlash;
  const isFile = !isFolder && (isBare || /.\.[a-z0-9]{1,9}$/i.test(base) || KNOWN_FILES.has(base.toLowerCase()));
  if (isFile === (target === 'file')) return 0.3;
  return isFile ? -0.8 : hasSlash ? -0.5 : -0.2;
}
