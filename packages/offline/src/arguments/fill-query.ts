import {
  COMMAND_WORDS,
  isAction,
  KIND_OF_WORD,
  LEAD_IN,
  MENTION_OF,
  SEARCH_VERB,
  WISH_WORDS,
} from '../language/search-words.ts';
import type { Slot } from './argument-slots.ts';
import { claim, type SlotFilling } from './slot-filling.ts';
import { timeZoneOf } from '../language/time-zones.ts';

/** An explicit search command: everything after its verb is the text to search for, up to a path at the end. */
export interface SearchCommand {
  /** The text to search for, without quotes. */
  readonly query: string;
  /** The file or folder to search in. */
  readonly path?: string;
}

const PATH = String.raw`["'\x60]?(?<path>[\p{L}\p{N}_@.][\p{L}\p{N}_@./+-]*)["'\x60]?`;
const IN_PATH = new RegExp(
  String.raw`^(?<query>.*\S)\s+(?:in|inside|within|under|below)\s+(?:(?<article>the|my|this|our)\s+)?(?:folder\s+|directory\s+|file\s+)?${PATH}(?<kind>\s+(?:folder|directory|dir|file))?$`,
  'iu',
);
const PATH_FOR = new RegExp(
  String.raw`^(?:in\s+|through\s+|inside\s+)?(?:the\s+(?=\S+\s+(?:folder|directory|file)\s))?${PATH}(?:\s+(?:folder|directory|file))?\s+for\s+(?<query>\S.*)$`,
  'iu',
);
const EVERYWHERE =
  /^(?:.*\S)\s+(?:in|across|throughout)\s+(?:(?:the|this|my|our|all)\s+)*(?:workspace|project|repo|repository|codebase|code|files)$/iu;
const WHOLE = /\s+(?:in|across|throughout)\s+(?:\S+\s+)*?(?:workspace|project|repo|repository|codebase|code|files)$/iu;

/**
 * Reads `search for X in P`, `grep X P` or `find X` as a whole: X is the query, whatever its words mean. `find` has other uses too, so
 * there X must not begin with an article or pronoun or be a file name, and may be several words only if a path follows.
 */
export function fillSearch(filling: SlotFilling, slots: readonly Slot[]): SearchCommand | undefined {
  const { groups } = LEAD_IN.exec(filling.text) ?? {};
  const { verb, marker, rest } = groups ?? {};
  if (verb === undefined || rest === undefined || !SEARCH_VERB.test(verb)) return undefined;
  const hasPath = slots.some(({ kind }) => kind === 'path');
  const order = readOrder(verb.toLowerCase(), marker !== undefined, rest.replace(/[\s?!]+$/, ''), hasPath);
  if (order === undefined || order.query === '' || isUnclear(order.query, rest)) return undefined;
  claim(filling, 0, filling.tokens.length - 1, 'exact', 0.8);
  return order;
}

/** Whether words of a query that is not quoted could also say where to search. */
function isUnclear(query: string, text: string): boolean {
  if (/["“‘`]|(?<!\w)'/.test(text)) return false;
  return /\s(?:in|inside|within|under|below|from|across|through|throughout)\s/i.test(query);
}

function readOrder(verb: string, isMarked: boolean, text: string, hasPath: boolean): SearchCommand | undefined {
  if (text === '' || (verb === 'look' && !isMarked) || hasSeveralRequests(text)) return undefined;
  if (COMMAND_WORDS.test(verb)) return readCommand(text, hasPath);
  const before = hasPath && verb === 'search' && !isMarked ? PATH_FOR.exec(text)?.groups : undefined;
  if (before?.['path'] !== undefined && before['query'] !== undefined && !WISH_WORDS.test(before['path']))
    return { query: stripDescription(before['query']), path: before['path'] };
  const { query, path } = hasPath ? splitPath(text) : { query: text };
  const words = stripDescription(query);
  if (/^(?:all |the |an?y? )*(?:files?|folders?|director(?:y|ies))\b/i.test(words)) return undefined;
  if (isMarked || isQuoted(query)) return path === undefined ? { query: words } : { query: words, path };
  if (WISH_WORDS.test(words) || /\s(?:is|are|was|were)\s/i.test(` ${words} `)) return undefined;
  if (path === undefined && (/\s/.test(words) || /^\S*[^.]\.[a-z]\w{0,8}$|\//i.test(words))) return undefined;
  return path === undefined ? { query: words } : { query: words, path };
}

/** `grep -rn X P` as a shell does: the second of two words is the path. */
function readCommand(text: string, hasPath: boolean): SearchCommand | undefined {
  const words = text.replaceAll(/(?:^|\s)--?[A-Za-z][\w-]*(?=\s)/g, '').trim();
  const found = hasPath ? splitPath(words.replace(/^for\s+/i, '')) : { query: words };
  if (found.path !== undefined) return { query: stripDescription(found.query), path: found.path };
  const pair = hasPath ? /^(?<query>"[^"]+"|'[^']+'|\S+)\s+(?<path>[^\s"']+)$/.exec(words)?.groups : undefined;
  if (pair?.['query'] !== undefined && pair['path'] !== undefined)
    return { query: unquote(pair['query']), path: pair['path'] };
  return { query: unquote(found.query) };
}

function splitPath(text: string): SearchCommand {
  if (EVERYWHERE.test(text)) return { query: text.replace(WHOLE, '') };
  const { query, path, article, kind } = IN_PATH.exec(text)?.groups ?? {};
  if (query === undefined || path === undefined || timeZoneOf(path) !== undefined) return { query: text };
  if (isQuoted(text) || (query.match(/["`]/g) ?? []).length % 2 === 1) return { query: text };
  const isName = article === undefined || kind !== undefined || /[./]/.test(path);
  return isName ? { query, path } : { query: text };
}

/** Strips what only describes the query: `the word`, `all uses of`, `files that contain`. */
function stripDescription(query: string): string {
  const bare = query
    .trim()
    .replace(/\s+please$/i, '')
    .replace(MENTION_OF, '')
    .replace(KIND_OF_WORD, '');
  return unquote(bare === '' ? query.trim() : bare);
}

function isQuoted(text: string): boolean {
  return unquote(text.trim()) !== text.trim();
}

function unquote(text: string): string {
  return /^(?:"[^"]+"|“[^”]+”|‘[^’]+’|`[^`]+`|'[^']+')$/u.test(text) ? text.slice(1, -1) : text;
}

/** Whether another sentence follows, or another request after `and`: then not all of it is the query. */
function hasSeveralRequests(text: string): boolean {
  const outside = text.replaceAll(/"[^"]*"|`[^`]*`|(?<!\w)'[^']*'/g, 'x');
  if (/[.?!;]\s|\n/.test(outside)) return true;
  return [...outside.matchAll(/(?:,|\b(?:and|then|also))\s+(?<next>[\p{L}']+)/giu)].some(({ groups }) =>
    isAction(groups?.['next'] ?? ''),
  );
}
