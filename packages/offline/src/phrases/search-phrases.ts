import type { Slot } from '../arguments/argument-slots.ts';
import { STOP_WORDS } from '../language/lexicon.ts';
import type { ToolPhrase } from './match-phrase.ts';

const FOR = '(search|look|grep|rg|find|locate) for';
const SHELL = '(grep|rg|ack|ag) (-r|-n|-rn|-nr|)';
const BARE = '(search|find|locate)';
const SIGN = '(mention|use|import|contain|reference)';
const DESCRIBED = [
  '(all|) (uses|usages|mentions|occurrences|references|imports) (of|to) {query:subject}',
  `(all|) files (that|which|) ${SIGN} {query:subject}`,
  '(word|string|text|phrase|term) {query:query}',
];
const MARKED = [...DESCRIBED, '{query:query}'].map((what) => `${FOR} ${what}`);
const EVERYWHERE = '(in|across|throughout) (this|my|our|all|) (workspace|project|repo|repository|codebase|code|files)';
const PLACE = '(folder|directory|file|) {path:place} (folder|directory|file|)';
const IN = `(in|inside|within|under|below|from) ${PLACE}`;
const FREE = [
  ...MARKED,
  ...DESCRIBED.map((what) => `${BARE} ${what}`),
  `(which|what) files ${SIGN} {query:subject}`,
  'where (is|are) {query:subject} (mentioned|used|imported|referenced)',
  'where (is|are) {query:identifier}',
  `${SHELL} {query:token}`,
  `${BARE} {query:word}`,
];

/** How people search files. Where nothing marks the query and no place follows, it is one word and no file: `find` has other uses, too. */
const IN_FILES: readonly string[] = [
  ...FREE.flatMap((text) => [text, `${text} ${EVERYWHERE}`, `${text} ${IN}`]),
  ...[`${SHELL} {query:query}`, `${BARE} {query:unmarked}`, 'where (is|are) {query:word}'].map(
    (text) => `${text} ${IN}`,
  ),
  `${SHELL} {query:query} ${EVERYWHERE}`,
  `${SHELL} {query:token} {path:place}`,
  ...MARKED.map((text) => text.replace(FOR, `search (in|through|inside|) ${PLACE} for`)),
  `does ${PLACE} ${SIGN} {query:subject}`,
  `(which|what) files ${IN} ${SIGN} {query:subject}`,
  `${BARE} (all|) files ${IN} (that|which|) ${SIGN} {query:subject}`,
];

const inOwn = (own: string): readonly string[] => [
  ...[`search ${own} (for|about)`, `(do|) (a|an|) ${own} search (for|)`].flatMap((head) =>
    MARKED.map((text) => text.replace(FOR, head)),
  ),
  ...MARKED,
  `${BARE} {query:word}`,
];

/** The phrases of a search with these arguments, described in these words; none if no argument is its query. */
export function searchPhrases(slots: readonly Slot[], about: readonly string[]): readonly ToolPhrase[] {
  const query = slots.find(({ kind, required }) => kind === 'search' && required)?.name;
  if (query === undefined) return [];
  const path = slots.find(({ kind }) => kind === 'path')?.name;
  const own = about.filter((word) => !STOP_WORDS.has(word)).join('|');
  return (path === undefined ? inOwn(`(${own})`) : IN_FILES).map((text) => ({
    text,
    input: { [query]: '{query}', ...(path !== undefined && text.includes('{path:') ? { [path]: '{path}' } : {}) },
  }));
}
