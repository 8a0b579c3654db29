import { ACTION_STEMS, conceptOf, WEAK_STEMS } from './lexicon.ts';
import { plain, stemOf } from './stem.ts';

/** Verbs whose object is the text to search for; `look` counts only with `for`. */
export const SEARCH_VERB = /^(?:search|find|locate|grep|rg|ack|ag|look)$/i;

/** First words of a request for a thing or for knowledge, as opposed to a text to search for. */
export const WISH_WORDS =
  /^(?:an?y?|the|me|my|us|our|your|his|her|their|some|out|where|when|who|whom|why|how|what|which|whether|if|for|at|into|up|it|this|that)(?:\s|$)/i;

/** Concepts that indicate a search if no verb at the start does: `which files mention X`. */
export const SEARCH_SIGNS: ReadonlySet<string> = new Set(
  'find search grep mention mentioned use used import imported define defined contain refer occur'
    .split(' ')
    .map((word) => conceptOf(stemOf(word))),
);

/** Whether a word begins another request. */
export function isAction(word: string): boolean {
  const stem = stemOf(plain(word));
  const concept = conceptOf(stem);
  return ACTION_STEMS.has(stem) || WEAK_STEMS.has(stem) || COMMANDS.has(concept);
}

const COMMANDS: ReadonlySet<string> = new Set(
  'list read find calculate'.split(' ').map((word) => conceptOf(stemOf(word))),
);
