import { PART_STEMS } from '../language/lexicon.ts';
import { tokenize } from '../language/tokenize.ts';
import { stemOf, wordsOf } from '../language/words.ts';
import { plainRequest } from '../phrases/plain-request.ts';

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

const FIELD =
  /^(?:its |their )?([\p{L}_][\p{L}\d_ -]{0,40}?)(?: (?:field|value))?(?: (?:in|of|from) (?:file )?(\S+\.json))?$/iu;

/** Reads `tell me the name` as a question about a field of the result before, and `what is the version in package.json` as one about a field of that file. */
export function readField(text: string): { readonly field: string; readonly file: string | undefined } | undefined {
  const [, field = '', file] = FIELD.exec(plainRequest(text) ?? '') ?? [];
  const words = wordsOf(field);
  const isWhole = words.length > 3 || words.some((word) => PART_STEMS.has(stemOf(word)));
  const isMeant = file !== undefined || new RegExp(`\\b(?:the|its|their) ${field}`, 'i').test(text);
  if (isWhole || field === '' || !isMeant) return undefined;
  return file !== undefined && /^(?:contents?|text|file)$/i.test(field) ? undefined : { field, file };
}
