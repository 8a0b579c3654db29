import { conceptOf, isAction } from '../language/lexicon.ts';
import { timeZoneOf } from '../language/time-zones.ts';

export interface Search {
  readonly query: string;
  readonly path: string | undefined;
  readonly evidence: number;
}

const PLACE = String.raw`(?:(?<article>the|my|this|our) )?(?:folder |directory |file )?(?<quote>["'\x60]?)(?<path>[^\s"'\x60]+)\k<quote>(?<kind> (?:folder|directory|dir|file))?`;
const EVERYWHERE = `(?:in|across|throughout) (?:(?:the|this|my|our|all) )*(?:workspace|project|repo|repository|codebase|code|files)`;
const PLACED = ` (?:${EVERYWHERE}|(?:in|inside|within|under|below|from) ${PLACE})$`;
const IN_PLACE = `(?:${PLACED}|$)`;
const SIGN = '(?<sign>mention|use|import|contain|reference|include|define)(?:e?s|e?d)?';
/** What only describes the query: `the word`, `all uses of`, `files that contain`. */
const DESCRIPTION = String.raw`(?:(?:(?:all|every|an?y?|each|the) )*(?:(?:mention|use|usage|occurrence|appearance|reference|call|import)s? (?:of|to)|(?:files?|lines?|places?) (?:(?:that|which) )?(?:contain|mention|use|import|reference|includ|hav)(?:s|es|ing|e)?) (?<described>(?:the )?))?(?:(?:the )?(?:string|words?|phrase|text|term|name|symbol|function|class|type|variable|identifier) )?`;
const QUERY = String.raw`${DESCRIPTION}(?<query>\S.*?)`;
const FLAGS = String.raw`(?: --?[a-z][\w-]*)*`;
const SHELL = `(?:grep|rg|ack|ag)${FLAGS}`;
const WORD = String.raw`(?<query>"[^"]+"|'[^']+'|\x60[^\x60]+\x60|\S+)`;
/** What a tool without a path searches, in its own words: `the web`. */
const OWN = String.raw`(?<own>\w+)`;

/** Ways to search, and whether all that follows is the query, whatever its words mean. */
const FORMS: readonly (readonly [source: string, isMarked: boolean])[] = [
  [`(?:search|find|locate|grep|rg|ack|ag|look) for ${QUERY}${IN_PLACE}`, true],
  [`search (?:the )?${OWN} (?:for|about|to find) ${QUERY}$`, true],
  [`(?:do an? )?${OWN} search(?: for|:)? ${QUERY}$`, true],
  [`search (?:(?:in|through|inside) )?${PLACE} for ${QUERY}$`, true],
  [`${SHELL} ${QUERY}${FLAGS}${PLACED}`, true],
  [`${SHELL} ${WORD}$`, true],
  [String.raw`${SHELL} ${WORD} (?<path>[^\s"'\x60]+)$`, true],
  [`(?:search|find|locate) ${QUERY}${IN_PLACE}`, false],
  [`(?:which|what) files? ${SIGN} (?:the )?${QUERY}${IN_PLACE}`, false],
  [`where (?:is|are) (?:the )?${QUERY} ${SIGN}${IN_PLACE}`, false],
  [`where (?:is|are) ${WORD}${PLACED}`, false],
  [`where (?:is|are) (?<name>)${WORD}$`, false],
  [`does ${PLACE} ${SIGN} ${QUERY}$`, false],
];
/** How one of them begins: a quick look, since they take long to compile. */
const HEAD =
  /^(?:(?:search|find|locate|grep|rg|ack|ag|look)\s|(?:which|what)\s+files?\s|where\s+(?:is|are)\s|does\s|(?:do\s+an?\s+)?\S+\s+search:?\s)/i;
let forms: readonly (readonly [form: RegExp, isMarked: boolean])[] | undefined;

const POLITE = /^(?:(?:please|kindly|can you|could you|would you|now|then|also)\s+)+/i;

/**
 * Reads `search for X in P`, `grep X P`, `find X` or `which files mention X` as a whole: X is the query. Where nothing marks it and
 * no place follows, it must be one word, and no pronoun or name of a file: `find` has other uses, too.
 */
export function readSearch(request: string, terms: ReadonlyMap<string, number>, hasPath: boolean): Search | undefined {
  const text = request
    .trim()
    .replace(POLITE, '')
    .replace(/(?:\s+please)?[\s?!]+$|\s+please$/i, '');
  if (!HEAD.test(text) || hasSeveralRequests(text)) return undefined;
  forms ??= FORMS.map(([source, isMarked]) => [
    new RegExp(`^${source.replaceAll(' ', String.raw`\s+`)}`, 'i'),
    isMarked,
  ]);
  for (const [form, isMarked] of forms) {
    const { query: written, path, article, kind, own, described, name, sign } = form.exec(text)?.groups ?? {};
    if (written === undefined || (sign !== undefined && !terms.has(conceptOf(sign)))) continue;
    if (own !== undefined && (hasPath || !terms.has(conceptOf(own)))) continue;
    const query = unquote(written);
    if (name !== undefined && query === written && !IDENTIFIER.test(query)) continue;
    // `in the morning` is no place, and `in Tokyo` is none in a workspace.
    const isClearPlace = kind !== undefined || /[./]/.test(path ?? '');
    const isNamed = article === undefined || isClearPlace;
    const isPlace = hasPath && isNamed && timeZoneOf(path ?? '') === undefined && !WISH_WORDS.test(path ?? '');
    if (path !== undefined && !isPlace) continue;
    const isSaid = (path ?? sign ?? described ?? name) !== undefined || (!hasPath && !/\s/.test(query));
    if (query === written && !isClear(query, isMarked, isSaid)) continue;
    return { query, path, evidence: isClearPlace || (own ?? sign ?? name) !== undefined ? 3 : isMarked ? 1.5 : 0.8 };
  }
  return undefined;
}

/** What only code is called: `createRegistry`, `read_file`, `$HOME`. */
const IDENTIFIER = /^[\w$.]*(?:[a-z][A-Z]|\w_\w|\$\w)[\w$.]*$/;
const PREPOSITION = /(?:^|\s)(?:in|inside|within|under|below|from|across|through|throughout)\s/i;

/** Words of a request for a thing, a file or knowledge, as opposed to a text to search for. */
const WISH_WORDS =
  /^(?:an?y?|the|me|my|us|our|your|his|her|their|some|out|where|when|who|whom|why|how|what|which|whether|if|for|at|into|up|it|this|that|to|of|is|are|was|were|and|or|then|also|anything|everything|something|here|there|today|yesterday)(?:\s|$)|^(?:first|last|too|so|as|much|many|more|most|all|every|each|lines?|\d+)\s|\s(?:files?|folders?|lines?|count)$/i;

function isClear(query: string, isMarked: boolean, isSaid: boolean): boolean {
  // Words of a query could also say where to search, unless they are quoted.
  if (PREPOSITION.test(query) || /["“‘`]|(?<!\w)'/.test(query)) return false;
  if (/^(?:all |the |an?y? )*(?:files?|folders?|director(?:y|ies))\b|^(?:me|us|it)$/i.test(query)) return false;
  if (isMarked) return true;
  if (WISH_WORDS.test(query)) return false;
  return isSaid || !/\s|^(?!\w+:\/\/|[^/]+@)(?:\S*[^.]\.(?:[a-z]\w{0,8}|[A-Z]{1,3})$|\S*\/)/.test(query);
}

function unquote(text: string): string {
  return /^(?:"[^"]+"|“[^”]+”|‘[^’]+’|`[^`]+`|'[^']+')$/.test(text) ? text.slice(1, -1) : text;
}

/** Whether another sentence follows, or another request or a file after `and`: then not all of it is the query. */
function hasSeveralRequests(text: string): boolean {
  const outside = text.replaceAll(/"[^"]*"|`[^`]*`|(?<!\w)'[^']*'/g, 'x');
  const after = outside.matchAll(/(?:,|\b(?:and|then|also))\s+([^\s,?!;]+)/gi);
  return (
    /[.?!;]\s|\n|\bimports?\s+\S+\s.*\bfrom\s/i.test(outside) ||
    [...after].some(([, next = '']) => isAction(next) || /[/.]/.test(next))
  );
}
