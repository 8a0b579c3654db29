import { ACTION_STEMS, WORK_STEMS } from './lexicon.ts';
import type { Slot } from './slots.ts';
import { isFree, take, type Taking } from './taking.ts';
import type { Token } from './tokens.ts';
import { zoneOf } from './zones.ts';

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
/** Files that prose calls by a name of their own: `the license`. */
const KNOWN_NAMES = new Map([
  ['license', 'LICENSE'],
  ['licence', 'LICENSE'],
  ['readme', 'README.md'],
  ['changelog', 'CHANGELOG.md'],
]);
const NOT_BEFORE_PATH = new Set(['of', 'to', 'its', 'their', 'your', 'the', 'my', 'our', 'this', 'that', 'a', 'an']);

/** Takes a path: a token with a slash or an extension, a word beside `folder` or `file`, or one after a preposition. */
export function takePath(taking: Taking, slot: Slot): string | undefined {
  const written = taking.tokens.flatMap((token, index) =>
    !taking.used.has(index) && isWrittenPath(token) && zoneOf(token.text) === undefined ? [index] : [],
  );
  const best = written.find((index) => agreement(taking.tokens[index], slot) > 0) ?? written[0];
  if (best !== undefined) return taken(taking, slot, best, 0.5);
  const beside = taking.tokens.findIndex(
    (_, index) => isName(taking, index) && isFree(taking, index) && isBeside(taking.tokens[index + 1], slot),
  );
  if (beside !== -1) return taken(taking, slot, beside, 0.4);
  const cued = taking.tokens.findIndex((_, index) => isName(taking, index) && isCue(taking.tokens[index - 1], slot));
  if (cued !== -1) return taken(taking, slot, cued, 0.35);
  return slot.required ? quotedPath(taking, slot) : undefined;
}

/** Takes a single left-over word as a path, as in `ls packages`: only one without an article or `of` before it. */
export function takeBarePath(taking: Taking, slot: Slot): string | undefined {
  const free = taking.tokens.flatMap((_, index) => (isFree(taking, index) ? [index] : []));
  const [index] = free;
  if (index === undefined || free.length > 1 || !isName(taking, index)) return undefined;
  const head = taking.tokens.findIndex(({ role }) => role !== 'stop');
  // Of two arguments the second follows the first, or `for` comes between: `grep 'text' apps`, `search apps for text`.
  const isSecond = taking.used.has(index - 1) || taking.tokens[index + 1]?.lower === 'for';
  if (slot.target === 'any' && !isSecond) return undefined;
  if (index === head && taking.tokens.some(({ role }, at) => at !== index && role !== 'stop')) return undefined;
  // `markdown files` are a kind of file, in no folder of that name.
  if (taking.tokens[index + 1]?.lower === 'files') return undefined;
  const previous = taking.tokens[index - 1];
  const before = previous?.lower ?? '';
  // Behind another word it is that word's object: `which files mention undici`.
  if (previous?.role === 'content' && index - 1 !== head && !taking.used.has(index - 1) && !isPlaceWord(previous))
    return undefined;
  const isAsked = (taking.terms.get(taking.tokens[head]?.concept ?? '') ?? 0) >= 0.9;
  const isKnown = isAsked && before === 'the' && KNOWN_NAMES.has(taking.tokens[index]?.lower ?? '');
  return NOT_BEFORE_PATH.has(before) && !isKnown ? undefined : taken(taking, slot, index, isKnown ? 0.5 : 0.3);
}

/** `of` leads to a file or folder only where the argument is one of them: "the contents of apps", not "the meaning of life". */
function isCue(token: Token | undefined, slot: Slot): boolean {
  return token !== undefined && CUES.has(token.lower) && (token.lower !== 'of' || slot.target !== 'any');
}

function taken(taking: Taking, slot: Slot, index: number, evidence: number): string | undefined {
  const token = taking.tokens[index];
  const said = targetWord(taking.tokens[index + 1]) ?? targetWord(taking.tokens[index - 1]);
  const fit = said === undefined || slot.target === 'any' ? agreement(token, slot) : said === slot.target ? 0.3 : -0.8;
  take(taking, index, index, 'exact', evidence + fit);
  const isProse = said === undefined && taking.tokens[index - 1]?.lower === 'the';
  return (isProse ? KNOWN_NAMES.get(token?.text ?? '') : undefined) ?? token?.text;
}

function isWrittenPath(token: Token): boolean {
  return token.kind === 'path' || (token.kind === 'quoted' && /^[^\s]*(?:\/|\.[a-z])[^\s]*$/i.test(token.text));
}

/** A bare word that can be a folder's or a file's name: not a place on a map, not a verb of creation. */
function isName(taking: Taking, index: number): boolean {
  const token = taking.tokens[index];
  if (token === undefined || token.kind !== 'word' || token.role !== 'content' || taking.used.has(index)) return false;
  if (isPlaceWord(token) || ACTION_STEMS.has(token.concept) || WORK_STEMS.has(token.concept)) return false;
  return (
    zoneOf(token.text) === undefined &&
    !/[a-z][A-Z]/.test(token.text) &&
    /^[\p{L}\p{N}_@][\p{L}\p{N}._@-]*$/u.test(token.text)
  );
}

/** `the docs folder`, and `the license file` where files are meant. */
function isBeside(token: Token | undefined, slot: Slot): boolean {
  return isPlaceWord(token) && (slot.target === 'file' || targetWord(token) !== 'file') && token?.lower !== 'files';
}

function targetWord(token: Token | undefined): 'file' | 'folder' | undefined {
  if (token === undefined) return undefined;
  return token.lower === 'file' ? 'file' : /^(?:folder|directory|dir)$/.test(token.lower) ? 'folder' : undefined;
}

function isPlaceWord(token: Token | undefined): boolean {
  return (
    token !== undefined &&
    /^(?:folders?|director(?:y|ies)|dirs?|files?|workspace|project|repo|repository|tree)$/.test(token.lower)
  );
}

function quotedPath(taking: Taking, slot: Slot): string | undefined {
  const index = taking.tokens.findIndex((token, at) => token.kind === 'quoted' && !taking.used.has(at));
  return index === -1 ? undefined : taken(taking, slot, index, 0.3);
}

/** How well a name's look (an extension, a trailing slash) agrees with what the slot is for. */
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
