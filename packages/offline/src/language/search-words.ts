import { ACTION_STEMS, conceptOf, WEAK_STEMS } from './lexicon.ts';
import { plain, stemOf } from './stem.ts';

/** A search command after polite words: its verb, `for` if present, and the rest. */
export const LEAD_IN =
  /^\s*(?:(?:please|kindly|can you|could you|would you|now|then|also)\s+)*(?<verb>\p{L}+)(?:\s+(?<marker>for))?\s+(?<rest>\S[\s\S]*)$/iu;

/** Verbs whose object is the text to search for; `look` counts only with `for`. */
export const SEARCH_VERB = /^(?:search|find|locate|grep|rg|ack|ag|look)$/i;

/** Search verbs that are commands of a shell. */
export const COMMAND_WORDS = /^(?:grep|rg|ack|ag)$/;

/** First words of a request for a thing or for knowledge, as opposed to a text to search for. */
export const WISH_WORDS =
  /^(?:an?y?|the|me|my|us|our|your|his|her|their|some|out|where|when|who|whom|why|how|what|which|whether|if|for|at|into|up|it|this|that)(?:\s|$)/i;

/** `all uses of X`, `files that contain X`: the query is X. */
export const MENTION_OF =
  /^(?:(?:all|every|an?y?|each|the)\s+)*(?:(?:mention|use|usage|occurrence|appearance|reference|call|import)s?\s+(?:of|to)|(?:files?|lines?|places?)\s+(?:(?:that|which)\s+)?(?:contain|mention|use|import|reference|includ|hav)(?:s|es|ing|e)?)\s+/i;

/** `the word X`: the query is X. */
export const KIND_OF_WORD =
  /^(?:the\s+)?(?:string|words?|phrase|text|term|name|symbol|function|class|type|variable|identifier)\s+(?=\S)/i;

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
