import { tokenize } from './tokenize.ts';

const WORDS = [
  // Negation.
  "no|not|cannot|none|nor|neither|never|nothing|nobody|nowhere|hardly|barely|[a-z]+n['’]t|dont|doesnt|isnt|arent|cant|wont",
  'without|lacks?|lacking|missing|misses|absent|opposite|reverse|inverse|contrary',
  // Exception and limitation.
  'except|excepting|exception|exclud(?:e|es|ed|ing)|but|besides|aside|apart|beyond|other than|rather than|instead',
  'only|solely|exclusively|merely|just|hide|hiding|omit|omitting|skip|skipping|ignor(?:e|es|ing)|avoid|avoiding|leave out|leaving out',
  'stop|cancel|forget|refuse|undo|pretend|imagine|suppose|assume|as if',
  // Correction and alternative.
  'nah|nope|actually|again and again|repeatedly|scratch that|nevermind|on second thoughts?|i mean|or|either|outside',
  // Condition.
  'if|unless|provided|otherwise|else|until|whether|in case|depending',
  // How something is done, sorted, compared or explained.
  '(?:all|every|each|any) (?:sub)?(?:folders|director(?:y|ies)|folder)|sub-?(?:folders?|director(?:y|ies))',
  // A kind of file, a part of one, or another form of it.
  '(?:big|small|large|huge|old|new|recent|empty|hidden|binary|duplicate|unused) (?:files?|folders?|director(?:y|ies))|duplicates?',
  '(?:imports|exports|functions|classes|methods|lines|symbols|words) of|(?:start|end|beginn)ing (?:in|with)|how (?:much time|long)',
  'on (?:git(?:hub|lab)|google|npm|the (?:internet|web))',
  'as (?:a table|csv|hex|html|json|markdown|pdf|xml|yaml)|then (?:add|divide|double|halve|multiply|square|subtract)',
  'recursive(?:ly)?|(?:in)?sensitive(?:ly)?|backwards?|twice|thrice|times|alphabetical(?:ly)?|sort(?:ed)?|order(?:ed)?|ascending|descending',
  'exact(?:ly)?|whole words?|regex|(?:start|end|beginning) of|(?:newest|oldest|latest|longest|shortest|largest|smallest|biggest|most|least|fewest)',
  '(?:what|which) week|week number|does .{1,80} (?:do|mean)|explain|why|difference|compare|versus|vs',
  // The same in the languages of our neighbors.
  'nicht|ohne|außer|kein(?:e|en|er|em|es)?|nur|wenn|statt|sondern',
  'sans|sauf|pas|jamais|seulement|sin|excepto|salvo|nunca|solo|solamente|senza|tranne',
];
const NEGATION = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${WORDS.join('|')})(?![\\p{L}\\p{N}_])`, 'iu');

/** Command flags that change nothing here: `grep -rn`, `ls -la`. Any other could turn the command, as `grep -v` does. */
const HARMLESS_FLAG = /^-(?:[rnHiIF]+|[la1]+)$/;
const FLAG = /(?<=\s)--?[A-Za-z][\w-]*/g;
/** Arithmetic with two meanings, `50 + 20%`, `7 mod -3`, `the root of 9`, and a pattern to search for. */
const UNCLEAR =
  /(?:[-+−]|\b(?:plus|minus|less)\b)\s*\d+(?:\.\d+)?\s*(?:%|per ?cent)(?!\s*(?:of\b|\d))|(?:%|\bmod(?:ulo)?\b)\s*[-−]\s*\d|(?<!\b(?:square|cube)\s)\broot of\b|\.[*+]|\.{3}|…/i;
/** Somebody else whom the answer is for: `tell Bob`. */
const FOR_OTHERS =
  /\b(?:tell|give|inform|ask)\s+(?!(?:me|us|the|an?|its?|their|what|which|how|where|when|who|whether|back|all|my|our|this|that)\b)\p{L}+/iu;
/** A question about a file, not for what is in it. */
const ABOUT_FILE =
  /^\s*(?:(?:where|when|how)(?:['’]s|\s+(?:is|are|was|were|did|does|do|has|had|to|can))|what\s+(?:will|would|should|could|might|was))\b/i;

/**
 * Returns the first word of a prompt that turns, limits or conditions what it asks for, or says how it is done: such a word can change everything, and
 * nothing here understands it. Quoted text, paths and arithmetic do not count.
 */
export function findNegation(prompt: string): string | undefined {
  let masked = prompt;
  let unquoted = prompt;
  let hasPath = false;
  for (const { end, kind, start } of tokenize(prompt)) {
    if (kind === 'word') continue;
    masked = blank(masked, start, end);
    if (kind !== 'expression') unquoted = blank(unquoted, start, end);
    hasPath ||= kind === 'path';
  }
  const flag = masked.match(FLAG)?.find((each) => !HARMLESS_FLAG.test(each));
  const about = hasPath ? ABOUT_FILE.exec(masked)?.[0].trim() : undefined;
  return NEGATION.exec(masked)?.[0] ?? flag ?? about ?? FOR_OTHERS.exec(masked)?.[0] ?? UNCLEAR.exec(unquoted)?.[0];
}

function blank(text: string, start: number, end: number): string {
  return text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);
}
