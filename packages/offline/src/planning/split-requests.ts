import { PART_STEMS } from '../language/lexicon.ts';
import { tokenize } from '../language/tokenize.ts';
import { LETTER, LETTER_OR_DIGIT, stemOf, wordsOf } from '../language/words.ts';

const BREAK = /[.?!;]+(?=\s|$)|\n+|,?\s+(?:and then|and also|and|then|also)\s+|\s+&\s+|,\s+(?:and\s+|then\s+)*/gi;

/** Splits a prompt into requests at sentence ends, commas and `and`, but not inside a quotation, a path, arithmetic or a list of numbers. */
export function splitRequests(prompt: string): readonly string[] {
  const tokens = tokenize(prompt);
  const guarded = tokens.filter(({ kind }) => kind !== 'word');
  const isInList = (from: number, to: number) =>
    tokens.findLast(({ end }) => end <= from)?.kind === 'number' &&
    tokens.find(({ start }) => start >= to)?.kind === 'number';
  const parts: string[] = [];
  let from = 0;
  for (const match of prompt.matchAll(BREAK)) {
    const to = match.index + match[0].length;
    if (guarded.some(({ start, end }) => match.index < end && to > start) || isInList(match.index, to)) continue;
    parts.push(prompt.slice(from, match.index));
    from = to;
  }
  parts.push(prompt.slice(from));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

const FIELD = new RegExp(
  String.raw`^(?:please |can you |could you |and )*(?<lead>(?:tell|give|show)(?: me)? |print |read |get |what(?:'s| is| are) |which (?:is )?|only |just )?(?:me )?(?:what |which )?(?:is |are )?(?<article>(?:the|its|their) )?["'“]?(?<field>[${LETTER}_][${LETTER_OR_DIGIT}_ -]{0,40}?)["'”]?(?: (?:is|are|field|value|key|property|it has|in it|of it|there))*(?: (?:in|of|from|inside) (?<file>(?:the (?:file )?)?[^\s]+\.json))?$`,
  'i',
);

/** Reads `tell me the name` as a question about a field of the result before, and `what is the version in package.json` as one about a field of that file. */
export function readField(text: string): { readonly field: string; readonly file: string | undefined } | undefined {
  const { article, field = '', file, lead } = FIELD.exec(text)?.groups ?? {};
  const words = wordsOf(field);
  const isWhole = (file === undefined && words.length > 3) || words.some((word) => PART_STEMS.has(stemOf(word)));
  if (isWhole || field === '' || (file === undefined ? article : lead) === undefined) return undefined;
  return file !== undefined && /^(?:contents?|text|file)$/i.test(field) ? undefined : { field, file };
}
