/** The longest request that is compared with phrases, in words. */
const MAX_WORDS = 120;

/** What begins a request and says nothing of what is asked; each has a space at its end. */
const LEAD_INS = [
  'please',
  'kindly',
  'hi',
  'hello',
  'hey',
  'can you',
  'could you',
  'would you',
  'will you',
  'i want to know',
  'i would like to know',
  'do you know',
  'tell me',
  'give me',
  'show me',
  'show',
  'print',
  'display',
  'calculate',
  'compute',
  'what is',
  'what are',
  'how much is',
].map((words) => words.split(' '));

const ENDINGS = ['please', 'thanks', 'thank you', 'for me'].map((words) => words.split(' '));

/** Every word that may be left out of a request or be another one in it, such as `the` and `what's`. */
export const LEFT_OUT: ReadonlySet<string> = new Set([
  'the',
  'what',
  'is',
  'when',
  ...LEAD_INS.flat(),
  ...ENDINGS.flat(),
]);

const WORD = /"[^"]+"|`[^`]+`|[^\s"`]+|["`]/g;

/**
 * Splits a request, or the text of a phrase, into words: without the polite ones at both ends, `the`, and the mark at the end of the sentence. A number is
 * split from the unit or `%` at its end. Returns `undefined` if it has too many words.
 */
export function splitWords(text: string): readonly string[] | undefined {
  const found =
    text
      .trim()
      .replace(/[.?!]+$/, '')
      .match(WORD) ?? [];
  if (found.length > MAX_WORDS) return undefined;
  const words = found.flatMap(expand).filter((word) => word.toLowerCase() !== 'the');
  let from = 0;
  let to = words.length;
  for (let lead = leadIn(words, from); lead > 0; lead = leadIn(words, from)) from += lead;
  for (const ending of ENDINGS) {
    if (
      to - from > ending.length &&
      ending.every((word, at) => words[to - ending.length + at]?.toLowerCase() === word)
    ) {
      to -= ending.length;
      if (words[to - 1]?.endsWith(',') === true) words[to - 1] = words[to - 1]?.slice(0, -1) ?? '';
    }
  }
  return words.slice(from, to);
}

/** How many words at a place are a lead-in; 0 if nothing would follow it. */
function leadIn(words: readonly string[], from: number): number {
  const found = LEAD_INS.find((lead) =>
    lead.every((word, at) => words[from + at]?.toLowerCase().replace(/,$/, '') === word),
  );
  return found === undefined || from + found.length >= words.length ? 0 : found.length;
}

const CONTRACTIONS = new Map([
  ["what's", ['what', 'is']],
  ['what’s', ['what', 'is']],
  ['whats', ['what', 'is']],
  ["when's", ['when', 'is']],
  ['when’s', ['when', 'is']],
]);

function expand(word: string): readonly string[] {
  const [, number, unit] = /^([-−]?[$€£]?\d[\d.,]*)(%|°?[a-zµ][a-z/]*[²³]?)$/iu.exec(word) ?? [];
  if (number !== undefined && unit !== undefined) return [number, unit];
  return CONTRACTIONS.get(word.toLowerCase()) ?? [word];
}
