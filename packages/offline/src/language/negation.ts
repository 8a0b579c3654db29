import { type Token, tokenize } from './tokenize.ts';
import { LETTER, LETTER_OR_DIGIT } from './lexicon.ts';

/** What turns, limits or conditions a request, in lower case: without the flag `i` it takes half as long to compile. */
const WORDS = [
  "no|not|cannot|none|nor|neither|never|nothing|nobody|nowhere|hardly|barely|[a-z]+n['’]t|dont|doesnt|isnt|arent|cant|wont",
  'without|lacks?|lacking|missing|misses|absent|opposite|reverse|inverse|contrary',
  'except|excepting|exception|exclud(?:e|es|ed|ing)|but|besides|aside|apart|beyond|other than|rather than|instead',
  'only|solely|exclusively|merely|just|hide|hiding|omit|omitting|skip|skipping|ignor(?:e|es|ing)|avoid|avoiding|leave out|leaving out',
  'stop|cancel|forget|refuse|undo|pretend|imagine|suppose|assume|as if',
  'them|those|nah|nope|actually|again and again|repeatedly|scratch that|nevermind|on second thoughts?|i mean|or|either|outside',
  'next|will it|(?:an?|one|each|every|(?:at|by|in|on|over) the) (?:second|minute|hour|day|week|month|year|decade|century)',
  'if|unless|provided|otherwise|else|until|whether|in case|depending',
  'was|were|had|should|ought|may|might|must|used to|who|whom|whose|someone|somebody|anyone|anybody|everyone|everybody',
  "(?:i|you|we|they)(?: have|['’]ve| did| already)|(?:did|have|do|does|has) (?:i|you|we|they|he|she)|i read",
  'near|followed by|preceded by|than|lines? (?:with|that|which|\\d+)|(?:before|after) line|find (?:one|two|three|some|a few)',
  '(?:files?|folders?|director(?:y|ies))\\b.{0,80}\\b(?:with|whose|since|before|after|between)|defined|declared|implemented|of the (?:year|month)|time zones',
  '(?:which|what) is (?:more|less)|bigger|smaller|greater|larger|better|how to|(?<=\\s)(?:when|while|once|as soon as)',
  '(?:one|some|most|part|parts|a bit|a few) of|(?:out|rid) of|and below|to (?:a|the) (?:file|folder)|make (?:it|that|them)',
  '(?:files?|folders?) (?:like|by|as|on|at|to|up|for (?!me|us))|contents? of (?:the |all |these |those )*files|cat -\\w+',
  '(?:a|an|another) (?:file|folder|directory)$|^ *(?:list|read|show|get|find|open) (?:it|them|that|those|what|where)$',
  '(?:list|show|print) (?:me )?(?:all )?(?:the )?(?:folders|directories)(?! and)',
  '(?:bugs?|typos?|mistakes|spelling|vulnerabilit(?:y|ies)) (?:in|of)',
  '(?:all|every|each|any) (?:sub)?(?:folders|director(?:y|ies)|folder)|sub-?(?:folders?|director(?:y|ies))',
  '(?:big|small|large|huge|old|new|recent|empty|hidden|binary|duplicate|unused) (?:files?|folders?|director(?:y|ies))|duplicates?',
  '(?:imports|exports|functions|classes|methods|lines|symbols|words) (?:of|in|from)|(?:start|end|beginn)ing (?:in|with)|how (?:much time|long)',
  'on (?:git(?:hub|lab)|google|npm|the (?:internet|web))',
  'as (?:a table|csv|hex|html|json|markdown|pdf|xml|yaml)|(?:and|then) (?:add|divide|double|halve|multiply|square|subtract)',
  'recursive(?:ly)?|(?:in)?sensitive(?:ly)?|backwards?|twice|thrice|times|alphabetical(?:ly)?|sort(?:ed)?|order(?:ed)?|ascending|descending',
  'exact(?:ly)?|whole words?|regex|(?:start|end|beginning) of|(?:newest|oldest|latest|longest|shortest|largest|smallest|biggest|most|least|fewest)',
  '(?:what|which) week|week number|does .{1,80} (?:do|mean)|explain|why|difference|compare|versus|vs',
  // The same in the languages of our neighbors.
  'nicht|ohne|außer|kein(?:e|en|er|em|es)?|nur|wenn|statt|sondern',
  'sans|sauf|pas|jamais|seulement|sin|excepto|salvo|nunca|solo|solamente|senza|tranne',
  // Somebody else whom the answer is for.
  String.raw`(?:tell|give|inform|ask)\s+(?!(?:me|us|the|an?|its?|their|what|which|how|where|when|who|whether|back|all|my|our|this|that)\b)[${LETTER}]+`,
];
/** Such a word, a pattern to search for, or an operator of arithmetic or of a shell that has something on one side that is no operand. */
const NEGATION = new RegExp(
  String.raw`(?<![${LETTER_OR_DIGIT}_])(?:${WORDS.join('|')})(?![${LETTER_OR_DIGIT}_])|[${LETTER}]\*|\*[${LETTER}]|(?<=\s)(?:[-+*/^=<>|~]+|&&)(?=\s|$)`,
);
/** Command flags, but for those that change nothing here: `grep -rn`, `ls -la`. Any other could turn the command, as `grep -v` does. */
const FLAG = /(?<=\s)(?!-(?:[rnHiIF]+|[la1]+)(?![\w-]))--?[A-Za-z][\w-]*/;
/** Arithmetic with two meanings: `50 + 20%`, `7 mod -3`, `the root of 9`; and a pattern to search for. */
const UNCLEAR =
  /(?:[-+−]\s{0,9}|\b(?:plus|minus)\s{1,9})?(?:\d\S{0,30}\s{0,9})?(?:%|\bper ?cent\b)(?!\s*of\b)|[/÷^]\s*[\d.]+\s*(?:%|per ?cent)|\bmod(?:ulo)?\b(?:\s*-\d)?|\b(?:sin|cos|tan)\b|(?<!\bsquare\s)\broot of\b|\b(?:half|over) (?:of )?\d|\.[*+]|\.{3}|…/;
/** A question about a file, not for what is in it. */
const ABOUT_FILE =
  /^\s*(?:(?:is|are)(?=\s{2})|what\s+(?:is|are)\s+for\b|where\s+(?:is|are)(?!.*\s(?:mentioned|used|imported|referenced)\b)|where(?:['’]s|\s+(?:was|were|did|does|do|has|had|to|can))|(?:when|how)(?:['’]s|\s+(?:is|are|was|were|did|does|do|has|had|to|can))|what\s+(?:will|would|should|could|might|was))\b/;

/**
 * Returns the first word of a prompt that turns, limits or conditions what it asks for, or says how it is done: such a word can change everything, and
 * nothing here understands it. Quoted text, paths and arithmetic do not count.
 */
export function findNegation(prompt: string): string | undefined {
  const literals = tokenize(prompt).filter(({ kind }) => kind !== 'word');
  const paths = literals.filter(({ kind }) => kind === 'path');
  const masked = without(prompt, literals);
  const sums = without(
    prompt,
    literals.filter(({ kind }) => kind !== 'expression' && kind !== 'number'),
  );
  return (
    (paths.length > 0 ? firstOf(ABOUT_FILE, masked) : undefined) ??
    firstOf(UNCLEAR, sums) ??
    firstOf(NEGATION, masked) ??
    FLAG.exec(masked)?.[0] ??
    paths.find(({ text }) => /^\/[^/]+\/$/.test(text))?.text
  );
}

function firstOf(form: RegExp, text: string): string | undefined {
  const match = form.exec(text.toLowerCase());
  return match === null ? undefined : text.slice(match.index, match.index + match[0].length).trim();
}

function without(text: string, tokens: readonly Token[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of tokens) {
    parts.push(text.slice(from, start), ' '.repeat(end - start));
    from = end;
  }
  return parts.join('') + text.slice(from);
}
