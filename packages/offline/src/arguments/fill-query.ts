import { byScript, forScripts } from '../language/by-script.ts';
import { conceptOf } from '../language/lexicon.ts';
import { isAction, WISH_WORDS } from '../language/search-words.ts';
import { stemOf } from '../language/stem.ts';
import { timeZoneOf } from '../language/time-zones.ts';
import type { Slot } from './argument-slots.ts';
import { claim, type SlotFilling } from './slot-filling.ts';

const LEAD_IN =
  /^\s*(?:(?:please|kindly|can you|could you|would you|now|then|also)\s+)*(?<verb>search|find|locate|grep|rg|ack|ag|look)(?<marker>\s+for)?\s+(?<rest>\S[\s\S]*)$/i;
const PATH = String.raw`["'\x60]?(?<path>[\p{L}\p{N}_@.][\p{L}\p{N}_@./+-]*)["'\x60]?`;
const IN_PATH = forScripts(
  String.raw`^(?<query>.*\S)\s+(?:in|inside|within|under|below)\s+(?<article>(?:the|my|this|our)\s+)?(?:folder\s+|directory\s+|file\s+)?${PATH}(?<kind>\s+(?:folder|directory|dir|file))?$`,
  'i',
);
const PATH_FOR = forScripts(
  String.raw`^(?:(?:in|through|inside)\s+)?(?:the\s+(?=\S+\s+(?:folder|directory|file)\s))?${PATH}(?:\s+(?:folder|directory|file))?\s+for\s+(?<query>\S.*)$`,
  'i',
);
const EVERYWHERE =
  /\s+(?:in|across|throughout)\s+(?:(?:the|this|my|our|all)\s+)*(?:workspace|project|repo|repository|codebase|code|files)$/iu;
/** What only describes the query: `the word`, `all uses of`, `files that contain`. */
const DESCRIPTION =
  /^(?:(?:all|every|an?y?|each|the)\s+)*(?:(?:mention|use|usage|occurrence|appearance|reference|call|import)s?\s+(?:of|to)|(?:files?|lines?|places?)\s+(?:(?:that|which)\s+)?(?:contain|mention|use|import|reference|includ|hav)(?:s|es|ing|e)?)\s+|^(?:the\s+)?(?:string|words?|phrase|text|term|name|symbol|function|class|type|variable|identifier)\s+(?=\S)|\s+please$/gi;

const FIND = conceptOf(stemOf('find'));

/**
 * Reads `search for X in P`, `grep X P` or `find X` as a whole, for a tool that describes itself as a search: X is the query, whatever its words mean. `find`
 * has other uses too, so there X must not begin with an article or pronoun or be a file name, and may be several words only if a path follows.
 */
export function fillSearch(filling: SlotFilling, slots: readonly Slot[]): readonly (readonly [string, string])[] {
  const search = slots.find(({ kind, required }) => kind === 'search' && required);
  const pathSlot = slots.find(({ kind }) => kind === 'path');
  const { verb, marker, rest } = LEAD_IN.exec(filling.text)?.groups ?? {};
  if (search === undefined || (filling.terms.get(FIND) ?? 0) < 0.8 || verb === undefined || rest === undefined)
    return [];
  const text = rest.replace(/[\s?!]+$/, '');
  if (hasSeveralRequests(text)) return [];
  const [query, path] = readCommand(verb.toLowerCase(), marker !== undefined, text, pathSlot !== undefined) ?? [];
  if (query === undefined || query === '') return [];
  // Words of a query that is not quoted could also say where to search.
  const isUnclear = /\s(?:in|inside|within|under|below|from|across|through|throughout)\s/i.test(query);
  if (isUnclear && !/["“‘`]|(?<!\w)'/.test(rest)) return [];
  claim(filling, 0, filling.tokens.length - 1, 'exact', 0.8);
  return [
    [search.name, query],
    ...(path === undefined || pathSlot === undefined ? [] : [[pathSlot.name, path] as const]),
  ];
}

type Command = readonly [query: string, path?: string | undefined];

function readCommand(verb: string, isMarked: boolean, text: string, hasPath: boolean): Command | undefined {
  const isShell = verb.endsWith('g') || verb === 'grep' || verb === 'ack';
  if (verb === 'look' && !isMarked) return undefined;
  if (isShell) {
    const words = text.replaceAll(/(?:^|\s)--?[A-Za-z][\w-]*(?=\s)/g, '').trim();
    const pair = /^("[^"]+"|'[^']+'|\S+)\s+([^\s"']+)$/.exec(words);
    const [query, path] = splitPath(words, hasPath);
    if (path !== undefined || !hasPath || pair === null)
      return [path === undefined ? unquote(query) : bare(query), path];
    return [unquote(pair[1] ?? ''), pair[2]];
  }
  const before = hasPath && verb === 'search' && !isMarked ? byScript(text, PATH_FOR).exec(text)?.groups : undefined;
  if (before?.['path'] !== undefined && before['query'] !== undefined && !WISH_WORDS.test(before['path']))
    return [bare(before['query']), before['path']];
  const [query, path] = splitPath(text, hasPath);
  const words = bare(query);
  if (/^(?:all |the |an?y? )*(?:files?|folders?|director(?:y|ies))\b/i.test(words)) return undefined;
  if (isMarked || unquote(query.trim()) !== query.trim()) return [words, path];
  if (WISH_WORDS.test(words) || /\s(?:is|are|was|were)\s/i.test(` ${words} `)) return undefined;
  if (path === undefined && (/\s/.test(words) || /^\S*[^.]\.[a-z]\w{0,8}$|\//i.test(words))) return undefined;
  return [words, path];
}

function splitPath(text: string, hasPath: boolean): Command {
  if (!hasPath) return [text];
  if (EVERYWHERE.test(text)) return [text.replace(EVERYWHERE, '')];
  const { query, path, article, kind } = byScript(text, IN_PATH).exec(text)?.groups ?? {};
  if (query === undefined || path === undefined || timeZoneOf(path) !== undefined) return [text];
  if (unquote(text) !== text || (query.match(/["`]/g) ?? []).length % 2 === 1) return [text];
  return article === undefined || kind !== undefined || /[./]/.test(path) ? [query, path] : [text];
}

function bare(query: string): string {
  const words = query.trim().replaceAll(DESCRIPTION, '').replaceAll(DESCRIPTION, '');
  return unquote(words === '' ? query.trim() : words);
}

function unquote(text: string): string {
  return /^(?:"[^"]+"|“[^”]+”|‘[^’]+’|`[^`]+`|'[^']+')$/u.test(text) ? text.slice(1, -1) : text;
}

const NEXT_WORD = forScripts(String.raw`(?:,|\b(?:and|then|also))\s+([\p{L}']+)`, 'gi');

/** Whether another sentence follows, or another request after `and`: then not all of it is the query. */
function hasSeveralRequests(text: string): boolean {
  const outside = text.replaceAll(/"[^"]*"|`[^`]*`|(?<!\w)'[^']*'/g, 'x');
  const after = outside.matchAll(byScript(outside, NEXT_WORD));
  return /[.?!;]\s|\n/.test(outside) || [...after].some(([, next = '']) => isAction(next));
}
