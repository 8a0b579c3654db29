import { ACTION_STEMS, WORK_STEMS } from '../language/lexicon.ts';
import type { Slot } from './argument-slots.ts';
import { isUnclaimed, claim, type SlotFilling } from './slot-filling.ts';
import type { Token } from '../language/tokenize.ts';
import { timeZoneOf } from '../language/time-zones.ts';

const CUES = new Set([
  'in',
  'inside',
  'under',
  'within',
  'from',
  'of',
  'at',
  'into',
  'below',
  'named',
  'called',
  'folder',
  'directory',
  'file',
  'path',
  'dir',
]);
/** Files that prose has a word for: `the license`. */
const KNOWN_NAMES = new Map([
  ['license', 'LICENSE'],
  ['licence', 'LICENSE'],
  ['readme', 'README.md'],
  ['changelog', 'CHANGELOG.md'],
]);
const NOT_BEFORE_PATH = new Set(['of', 'to', 'its', 'their', 'your', 'the', 'my', 'our', 'this', 'that', 'a', 'an']);

/** Fills a path: a token with a slash or an extension, a word next to `folder` or `file`, or one after a preposition. */
export function fillPath(filling: SlotFilling, slot: Slot): string | undefined {
  const written = filling.tokens.flatMap((token, index) =>
    !filling.used.has(index) && isWrittenPath(token) && timeZoneOf(token.text) === undefined ? [index] : [],
  );
  const best = written.find((index) => agreement(filling.tokens[index], slot) > 0) ?? written[0];
  if (best !== undefined) return claimPath(filling, slot, best, 0.5);
  const beside = filling.tokens.findIndex(
    (_, index) =>
      isName(filling, index) && isUnclaimed(filling, index) && isFollowedByPathWord(filling.tokens[index + 1], slot),
  );
  if (beside !== -1) return claimPath(filling, slot, beside, 0.4);
  const cued = filling.tokens.findIndex((_, index) => isName(filling, index) && isCue(filling.tokens[index - 1], slot));
  if (cued !== -1) return claimPath(filling, slot, cued, 0.35);
  return slot.required ? quotedPath(filling, slot) : undefined;
}

/** Fills a path with a single remaining word, as in `ls packages`, unless an article or `of` precedes it. */
export function fillBarePath(filling: SlotFilling, slot: Slot): string | undefined {
  const free = filling.tokens.flatMap((_, index) => (isUnclaimed(filling, index) ? [index] : []));
  const [index] = free;
  if (index === undefined || free.length > 1 || !isName(filling, index)) return undefined;
  const head = filling.tokens.findIndex(({ role }) => role !== 'stop');
  // The second of two arguments follows the first, or `for` separates them: `grep 'text' apps`, `search apps for text`.
  const isSecond = filling.used.has(index - 1) || filling.tokens[index + 1]?.lower === 'for';
  if (slot.target === 'any' && !isSecond) return undefined;
  if (index === head && filling.tokens.some(({ role }, at) => at !== index && role !== 'stop')) return undefined;
  // `markdown files` are a kind of file, not files in a folder of that name.
  if (filling.tokens[index + 1]?.lower === 'files') return undefined;
  const previous = filling.tokens[index - 1];
  const before = previous?.lower ?? '';
  // After another word it is that word's object: `which files mention undici`.
  if (previous?.role === 'content' && index - 1 !== head && !filling.used.has(index - 1) && !isPathWord(previous))
    return undefined;
  const isAsked = (filling.terms.get(filling.tokens[head]?.concept ?? '') ?? 0) >= 0.9;
  const isKnown = isAsked && before === 'the' && KNOWN_NAMES.has(filling.tokens[index]?.lower ?? '');
  return NOT_BEFORE_PATH.has(before) && !isKnown ? undefined : claimPath(filling, slot, index, isKnown ? 0.5 : 0.3);
}

/** `of` introduces a path only if the argument is a file or a folder: "the contents of apps", not "the meaning of life". */
function isCue(token: Token | undefined, slot: Slot): boolean {
  return token !== undefined && CUES.has(token.lower) && (token.lower !== 'of' || slot.target !== 'any');
}

function claimPath(filling: SlotFilling, slot: Slot, index: number, evidence: number): string | undefined {
  const token = filling.tokens[index];
  const said = targetWord(filling.tokens[index + 1]) ?? targetWord(filling.tokens[index - 1]);
  const fit = said === undefined || slot.target === 'any' ? agreement(token, slot) : said === slot.target ? 0.3 : -0.8;
  claim(filling, index, index, 'exact', evidence + fit);
  const isProse = said === undefined && filling.tokens[index - 1]?.lower === 'the';
  return (isProse ? KNOWN_NAMES.get(token?.text ?? '') : undefined) ?? token?.text;
}

function isWrittenPath(token: Token): boolean {
  return token.kind === 'path' || (token.kind === 'quoted' && /^[^\s]*(?:\/|\.[a-z])[^\s]*$/i.test(token.text));
}

/** Whether a bare word can be the name of a folder or a file, not of a city or an action. */
function isName(filling: SlotFilling, index: number): boolean {
  const token = filling.tokens[index];
  if (token === undefined || token.kind !== 'word' || token.role !== 'content' || filling.used.has(index)) return false;
  if (isPathWord(token) || ACTION_STEMS.has(token.concept) || WORK_STEMS.has(token.concept)) return false;
  return (
    timeZoneOf(token.text) === undefined &&
    !/[a-z][A-Z]/.test(token.text) &&
    /^[\p{L}\p{N}_@][\p{L}\p{N}._@-]*$/u.test(token.text)
  );
}

/** Matches the word after the name in `the docs folder`, and in `the license file` if the argument is a file. */
function isFollowedByPathWord(token: Token | undefined, slot: Slot): boolean {
  return isPathWord(token) && (slot.target === 'file' || targetWord(token) !== 'file') && token?.lower !== 'files';
}

function targetWord(token: Token | undefined): 'file' | 'folder' | undefined {
  if (token === undefined) return undefined;
  return token.lower === 'file' ? 'file' : /^(?:folder|directory|dir)$/.test(token.lower) ? 'folder' : undefined;
}

function isPathWord(token: Token | undefined): boolean {
  return (
    token !== undefined &&
    /^(?:folders?|director(?:y|ies)|dirs?|files?|workspace|project|repo|repository|tree)$/.test(token.lower)
  );
}

function quotedPath(filling: SlotFilling, slot: Slot): string | undefined {
  const index = filling.tokens.findIndex((token, at) => token.kind === 'quoted' && !filling.used.has(at));
  return index === -1 ? undefined : claimPath(filling, slot, index, 0.3);
}

/** How well the form of a name (an extension, a trailing slash) agrees with what the slot is for. */
function agreement(token: Token | undefined, slot: Slot): number {
  if (token === undefined || slot.target === 'any') return 0;
  const look = lookOf(token);
  if (look === undefined) return 0;
  if (look === slot.target) return 0.3;
  return look === 'file' ? -0.8 : token.text.includes('/') ? -0.5 : -0.2;
}

function lookOf(token: Token): 'file' | 'folder' | undefined {
  if (token.text.endsWith('/') || /^\.{1,2}$/.test(token.text)) return 'folder';
  const base = token.text.split('/').at(-1) ?? '';
  if (/^\.[^.]+$/.test(base)) return undefined;
  if (KNOWN_NAMES.has(token.text)) return 'file';
  return /.\.[a-z0-9]{1,9}$/i.test(base) ||
    /^\.[a-z]/i.test(base) ||
    (token.kind === 'path' && !token.text.includes('/')) ||
    /^(?:LICEN[CS]E|README|Makefile|Dockerfile)$/.test(base)
    ? 'file'
    : 'folder';
}
