import { byScript, forScripts, hasAsciiLetters, type ScriptPattern } from './by-script.ts';
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
  // Another time, another person, or no request at all.
  'was|were|had|should|ought|may|might|must|used to|who|whom|whose|someone|somebody|anyone|anybody|everyone|everybody',
  "(?:i|you|we|they)(?: have|['’]ve| did| already)|(?:did|have|do|does|has) (?:i|you|we|they|he|she)|i read",
  // A place within a text, a number of hits, or a property.
  'near|followed by|preceded by|than|lines? (?:with|that|which|\\d+)|(?:before|after) line|find (?:one|two|three|some|a few)',
  '(?:files?|folders?|director(?:y|ies))\\b.{0,80}\\b(?:with|whose|since|before|after|between)|defined|declared|implemented|of the (?:year|month)|time zones',
  '(?:which|what) is (?:more|less)|bigger|smaller|greater|larger|better|how to|(?<=\\s)(?:when|while|once|as soon as)',
  '(?:one|some|most|part|parts|a bit|a few) of|(?:out|rid) of|and below|to (?:a|the) (?:file|folder)|make (?:it|that|them)',
  '(?:files?|folders?) (?:like|by|as|on|at|to|up|for (?!me|us))|contents? of (?:the |all |these |those )*files|cat -\\w+',
  '(?:a|an|another) (?:file|folder|directory)$|^ *(?:list|read|show|get|find|open) (?:it|them|that|those|what|where)$',
  '(?:list|show|print) (?:me )?(?:all )?(?:the )?(?:folders|directories)(?! and)',
  '(?:bugs?|typos?|mistakes|spelling|vulnerabilit(?:y|ies)) (?:in|of)',
  // How something is done, sorted, compared or explained.
  '(?:all|every|each|any) (?:sub)?(?:folders|director(?:y|ies)|folder)|sub-?(?:folders?|director(?:y|ies))',
  // A kind of file, a part of one, or another form of it.
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
];
const NEGATION = caseless(`(?<![\\p{L}\\p{N}_])(?:${WORDS.join('|')})(?![\\p{L}\\p{N}_])`);

/** Command flags that change nothing here: `grep -rn`, `ls -la`. Any other could turn the command, as `grep -v` does. */
const HARMLESS_FLAG = /^-(?:[rnHiIF]+|[la1]+)$/;
const FLAG = /(?<=\s)--?[A-Za-z][\w-]*/g;
/** An operator, of arithmetic or of a shell, with something on one side that is no operand. */
const OPERATOR = /(?<=\s)(?:[-+*/^=<>|~]+|&&)(?=\s|$)/;
/** A pattern to search for: `F*O`, `/FOO/`. */
const PATTERN = forScripts(String.raw`[\p{L}]\*|\*[\p{L}]`);
const PATTERN_PATH = /^\/[^/]+\/$/;
/** Arithmetic with two meanings: `50 + 20%`, `20 / 5%`, `7 mod -3`, `sin(90)`, `the root of 9`, `half of 10 plus 2`; and a pattern to search for. */
const UNCLEAR =
  /(?:[/÷^]|\b(?:over|by|power of))\s*\d+(?:\.\d+)?\s*(?:%(?!\s*[\d(])|per ?cent)|[-−]\s*\d+(?:\.\d+)?\s*(?:%\s*\d|mod)|\b(?:sin|cos|tan)\s*\((?![^)]{0,40}(?:pi|π))|\bhalf of \S+\s*(?:[-+*/^]|plus|minus|times|squared|cubed)|(?:[-+−]|\b(?:plus|minus|less)\b)\s*\d+(?:\.\d+)?\s*(?:%|per ?cent)(?!\s*(?:of\b|\d))|(?:%|\bmod(?:ulo)?\b)\s*[-−]\s*\d|(?<!\b(?:square|cube)\s)\broot of\b|\.[*+]|\.{3}|…/i;
/** Somebody else whom the answer is for: `tell Bob`. */
const FOR_OTHERS = caseless(
  String.raw`\b(?:tell|give|inform|ask)\s+(?!(?:me|us|the|an?|its?|their|what|which|how|where|when|who|whether|back|all|my|our|this|that)\b)[\p{L}]+`,
);
/** A question about a file, not for what is in it. */
const ABOUT_FILE =
  /^\s*(?:(?:is|are)(?=\s{2})|what\s+(?:is|are)\s+for\b|(?:where|when|how)(?:['’]s|\s+(?:is|are|was|were|did|does|do|has|had|to|can))|what\s+(?:will|would|should|could|might|was))\b/i;

/**
 * Returns the first word of a prompt that turns, limits or conditions what it asks for, or says how it is done: such a word can change everything, and
 * nothing here understands it. Quoted text, paths and arithmetic do not count.
 */
export function findNegation(prompt: string): string | undefined {
  let masked = prompt;
  let unquoted = prompt;
  let hasPath = false;
  let pattern: string | undefined;
  for (const { end, kind, start, text } of tokenize(prompt)) {
    if (kind === 'word') continue;
    masked = blank(masked, start, end);
    if (kind !== 'expression') unquoted = blank(unquoted, start, end);
    hasPath ||= kind === 'path';
    if (kind === 'path' && PATTERN_PATH.test(text)) pattern ??= text;
  }
  const about = hasPath ? ABOUT_FILE.exec(masked)?.[0].trim() : undefined;
  const turning = () => firstOf(NEGATION, masked) ?? firstOf(FOR_OTHERS, masked);
  const flag = () => masked.match(FLAG)?.find((each) => !HARMLESS_FLAG.test(each));
  const unclear = () => UNCLEAR.exec(unquoted) ?? OPERATOR.exec(masked) ?? byScript(masked, PATTERN).exec(masked);
  return about ?? turning() ?? flag() ?? pattern ?? unclear()?.[0];
}

interface CaselessPattern {
  readonly lower: ScriptPattern;
  readonly any: ScriptPattern;
}

/** Makes a pattern in lower case for text in any case. Without the flag `i` it takes half as long to compile. */
function caseless(source: string): CaselessPattern {
  return { lower: forScripts(source), any: forScripts(source, 'i') };
}

function firstOf({ any, lower }: CaselessPattern, text: string): string | undefined {
  const match = hasAsciiLetters(text) ? byScript(text, lower).exec(text.toLowerCase()) : byScript(text, any).exec(text);
  return match === null ? undefined : text.slice(match.index, match.index + match[0].length).trim();
}

function blank(text: string, start: number, end: number): string {
  return text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);
}
