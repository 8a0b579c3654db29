import { LETTER, LETTER_OR_DIGIT, stemOf, wordsOf } from '../language/words.ts';
import { PART_STEMS } from '../language/lexicon.ts';
import { tokenize } from '../language/tokenize.ts';

const BREAK = /[.?!;]+(?=\s|$)|\n+|,?\s+(?:and then|and also|and|then|also)\s+|\s+&\s+|,\s+(?:and\s+|then\s+)*/giu;

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
  String.raw`^(?:please )?(?:(?:and )?(?:tell|give|show|print)(?: me)?|what(?:'s| is| are)|which is|only|just)? ?(?:me )?(?:(?:what|which) )?(?:the|its|their) (?<field>[${LETTER}_][${LETTER_OR_DIGIT}_ -]{0,40}?)(?: (?:is|are|field|value|it has|in it|of it|there))*$`,
  'i',
);
const FIELD_OF = new RegExp(
  String.raw`^(?<lead>(?:please |can you |could you )*(?:tell me|give me|show me|print|read|get|what(?:'s| is| are)|which)) (?:the )?["'“]?(?<field>[${LETTER}_][${LETTER_OR_DIGIT}_ -]{0,40}?)["'”]?(?: (?:field|key|value|property))? (?:is )?(?:in|of|from|inside) (?<rest>(?:the (?:file )?)?[^\s]+\.json)$`,
  'i',
);

/** Reads `tell me the name`, a question about one field of the previous request's result. */
export function fieldAsked(text: string): string | undefined {
  return FIELD.exec(text)?.groups?.['field']?.trim();
}

/** Reads `what is the version in package.json` as a request for the file and the field to show. */
export function fieldOfFile(text: string): { readonly field: string; readonly request: string } | undefined {
  if (!text.toLowerCase().endsWith('.json')) return undefined;
  const groups = FIELD_OF.exec(text)?.groups;
  const field = groups?.['field'];
  return field === undefined ||
    groups?.['rest'] === undefined ||
    /^(?:contents?|text|file)$/i.test(field) ||
    wordsOf(field).some((word) => PART_STEMS.has(stemOf(word)))
    ? undefined
    : { field, request: `show me the contents of ${groups['rest']}` };
}
