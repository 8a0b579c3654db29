import { tokenize } from './tokenize.ts';

const WORDS = [
  // Negation.
  "no|not|cannot|none|nor|neither|never|nothing|nobody|nowhere|hardly|barely|[a-z]+n['’]t|dont|doesnt|isnt|arent|cant|wont",
  'without|lacks?|lacking|missing|misses|absent|opposite|reverse|inverse|contrary',
  // Exception and limitation.
  'except|excepting|exception|exclud(?:e|es|ed|ing)|but|besides|aside|apart|beyond|other than|rather than|instead',
  'only|solely|exclusively|merely|just|hide|hiding|omit|omitting|skip|skipping|ignor(?:e|es|ing)|avoid|avoiding|leave out|leaving out',
  'stop|cancel|forget|refuse|undo|pretend|imagine|suppose|assume|as if',
  // Condition.
  'if|unless|provided|otherwise|else|until|whether|in case|depending',
  // How something is done, sorted, compared or explained.
  'recursive(?:ly)?|(?:in)?sensitive(?:ly)?|backwards?|twice|thrice|times|alphabetical(?:ly)?|sort(?:ed)?|order(?:ed)?|ascending|descending',
  'exact(?:ly)?|whole words?|regex|(?:start|end|beginning) of|(?:newest|oldest|latest|longest|shortest|largest|smallest|biggest|most|least|fewest)',
  '(?:what|which) week|week number|does .{1,80} (?:do|mean)|explain|why|difference|compare|versus|vs',
  // The same in the languages of our neighbors.
  'nicht|ohne|außer|kein(?:e|en|er|em|es)?|nur|wenn|statt|sondern',
  'sans|sauf|pas|jamais|seulement|sin|excepto|salvo|nunca|solo|solamente|senza|tranne',
];
const NEGATION = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${WORDS.join('|')})(?![\\p{L}\\p{N}_])`, 'iu');

/**
 * Returns the first word of a prompt that turns, limits or conditions what it asks for, or says how it is done: such a word can change everything, and
 * nothing here understands it. Quoted text, paths and arithmetic do not count.
 */
export function findNegation(prompt: string): string | undefined {
  let masked = prompt;
  for (const { end, kind, start } of tokenize(prompt))
    if (kind !== 'word') masked = masked.slice(0, start) + ' '.repeat(end - start) + masked.slice(end);
  return NEGATION.exec(masked)?.[0];
}
