import { STOP_WORDS } from '../language/lexicon.ts';
import { findNegation } from '../language/negation.ts';

const MAX_WORDS = 120;
const WORD = /"[^"]+"|`[^`]+`|“[^”]+”|(?<!\S)'[^']+'(?!\S)|[^\s"`]+|["`]/g;
const LEAD_IN =
  /^(?:(?:please|kindly|hi|hello|hey|now|then|also|(?:can|could|would|will) you|i (?:want|would like) to know|do you know|tell me|give me|show(?: me)?|print|display|calculate|compute|what is|what are|how much is),? )+(?=\S)/i;
const ENDING = /(?<=\S)(?:,? (?:please|thanks|thank you|for me))+$/i;

export const POLITE: ReadonlySet<string> = new Set(
  `please kindly hi hello hey now then also can could would will you i want like to know do tell give me show print display calculate compute
  what whats what's what’s when's when’s is are how much thanks thank for the`.split(/\s+/),
);

/** Stands before a word that could change a request: no value holds one. */
export const MARK = '\u0001';

/**
 * A request, or the text of a phrase, with one space between its words: without the polite ones at both ends, `the`, and the mark at the end of the sentence. A
 * number is split from the unit or `%` at its end. Returns `undefined` if it has too many words.
 */
export function plainRequest(text: string): string | undefined {
  const sentence = text.trim().replace(/[.?!]+$/, '');
  const found = sentence.match(WORD) ?? [];
  if (found.length > MAX_WORDS) return undefined;
  const words = found.map(expand).filter((word) => word.toLowerCase() !== 'the');
  return words.join(' ').replace(ENDING, '').replace(LEAD_IN, '');
}

export function markWords(request: string): string {
  return (request.match(WORD) ?? [])
    .map((word) => {
      const isClear = /^(?:per|US)$/.test(word) || !STOP_WORDS.has(word.toLowerCase().replace(/[,:]$/, ''));
      return isClear && findNegation(word) === undefined ? word : `${MARK}${word}`;
    })
    .join(' ');
}

function expand(word: string): string {
  return word
    .replace(/^(what|when)(?:['’]s|(?<=what)s)$/i, '$1 is')
    .replace(/^([-−]?[$€£]?\d[\d.,]*)(%|°?[a-zµ][a-z/]*[²³]?)$/iu, '$1 $2');
}
