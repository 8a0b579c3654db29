import { ACTION_STEMS, WORK_STEMS } from '../language/lexicon.ts';
import { timeZoneOf } from '../language/time-zones.ts';
import { KNOWN_FILES, type Token } from '../language/tokenize.ts';
import { LETTER_OR_DIGIT } from '../language/words.ts';
import type { Slot } from './argument-slots.ts';
import { claim, findFree, isUnclaimed, type SlotFilling } from './slot-filling.ts';

const CUES = /^(?:in|inside|under|within|from|of|at|into|below|named|called|folder|directory|file|path|dir)$/;
const PATH_WORDS = /^(?:folders?|director(?:y|ies)|dirs?|files?|workspace|project|repo|repository|tree)$/;
const NOT_BEFORE_PATH = /^(?:of|to|its|their|your|the|my|our|this|that|an?)$/;
const NAME = new RegExp(`^[${LETTER_OR_DIGIT}_@][${LETTER_OR_DIGIT}._@-]*$`);

/** Fills a path: a token with a slash or an extension, a word next to `folder` or `file`, one after a preposition, or a quotation. */
export function fillPath(filling: SlotFilling, slot: Slot): string | undefined {
  const word = (index: number) => filling.tokens[index]?.lower ?? '';
  const signs: readonly (readonly [evidence: number, test: (token: Token, index: number) => boolean])[] = [
    [0.5, (token) => isPath(token) && agreement(token, slot) > 0],
    [0.5, isPath],
    [0.4, (token, index) => isUnclaimed(filling, index) && isName(token) && isBeside(word(index + 1), slot)],
    // `of` introduces a path only if the argument is a file or a folder: "the contents of apps", not "the meaning of life".
    [
      0.35,
      (token, index) =>
        isName(token) && CUES.test(word(index - 1)) && (word(index - 1) !== 'of' || slot.target !== 'any'),
    ],
    [0.3, ({ kind }) => slot.required && kind === 'quoted'],
  ];
  for (const [evidence, test] of signs) {
    const index = findFree(filling, test);
    if (index !== -1) return claimPath(filling, slot, index, evidence);
  }
  return undefined;
}

function isBeside(next: string, { target }: Slot): boolean {
  return PATH_WORDS.test(next) && next !== 'files' && (target === 'file' || next !== 'file');
}

/** Fills a path with a single remaining word, as in `ls packages`, unless an article or `of` precedes it. */
export function fillBarePath(filling: SlotFilling, slot: Slot): string | undefined {
  const { tokens, used, terms } = filling;
  const [index = -1, ...more] = [...tokens.keys()].filter((at) => isUnclaimed(filling, at));
  const token = tokens[index];
  if (token === undefined || more.length > 0 || slot.target === 'any' || !isName(token)) return undefined;
  const head = tokens.findIndex(({ role }) => role !== 'stop');
  if (index === head && tokens.some(({ role }, at) => at !== index && role !== 'stop')) return undefined;
  // `markdown files` are a kind of file, not files in a folder of that name.
  if (tokens[index + 1]?.lower === 'files') return undefined;
  const previous = tokens[index - 1];
  // After another word it is that word's object: `which files mention undici`.
  const isObject = previous?.role === 'content' && index - 1 !== head && !used.has(index - 1);
  if (isObject && !PATH_WORDS.test(previous.lower)) return undefined;
  const isAsked = (terms.get(tokens[head]?.concept ?? '') ?? 0) >= 0.9;
  const isKnown = isAsked && previous?.lower === 'the' && KNOWN_FILES.has(token.lower);
  if (NOT_BEFORE_PATH.test(previous?.lower ?? '') && !isKnown) return undefined;
  return claimPath(filling, slot, index, isKnown ? 0.5 : 0.3);
}

function claimPath(filling: SlotFilling, slot: Slot, index: number, evidence: number): string {
  const [previous, token, next] = [filling.tokens[index - 1], filling.tokens[index], filling.tokens[index + 1]];
  const said = targetWord(next) ?? targetWord(previous);
  const isSaid = said !== undefined && slot.target !== 'any';
  const fit = isSaid ? (said === slot.target ? 0.3 : -0.8) : agreement(token, slot);
  const text = claim(filling, index, index, 'exact', evidence + fit);
  return said === undefined && previous?.lower === 'the' ? (KNOWN_FILES.get(text) ?? text) : text;
}

function isPath({ kind, text }: Token): boolean {
  const isWritten = kind === 'path' || (kind === 'quoted' && /^\S*(?:\/|\.[a-z])\S*$/i.test(text));
  return isWritten && timeZoneOf(text) === undefined;
}

/** Whether a bare word can be the name of a folder or a file, not of a city or an action. */
function isName({ kind, role, lower, concept, text }: Token): boolean {
  if (kind !== 'word' || role !== 'content' || PATH_WORDS.test(lower)) return false;
  if (ACTION_STEMS.has(concept) || WORK_STEMS.has(concept) || /[a-z][A-Z]/.test(text)) return false;
  return NAME.test(text) && timeZoneOf(text) === undefined;
}

function targetWord(token: Token | undefined): 'file' | 'folder' | undefined {
  const word = token?.lower ?? '';
  return word === 'file' ? 'file' : /^(?:folder|directory|dir)$/.test(word) ? 'folder' : undefined;
}

/** How well the form of a name (an extension, a trailing slash) agrees with what the slot is for. */
function agreement(token: Token | undefined, { target }: Slot): number {
  const base = token?.text.split('/').at(-1) ?? '';
  const isFolder = /^\.{0,2}$/.test(base);
  if (token === undefined || target === 'any' || (!isFolder && /^\.[^.]+$/.test(base))) return 0;
  const hasSlash = token.text.includes('/');
  const isBare = token.kind === 'path' && !hasSlash;
  const isFile = !isFolder && (isBare || /.\.[a-z0-9]{1,9}$/i.test(base) || KNOWN_FILES.has(base.toLowerCase()));
  if (isFile === (target === 'file')) return 0.3;
  return isFile ? -0.8 : hasSlash ? -0.5 : -0.2;
}
