import type { Message } from '@kernel/protocol';
import { PART_STEMS, stemOf, wordsOf } from '../language/lexicon.ts';
import { tokenize } from '../language/tokenize.ts';
import { plainRequest } from '../phrases/plain-request.ts';

export interface Ask {
  /** The request: the last text of the message. */
  readonly prompt: string;
  /** The one text that came with it; `other` for several texts, a text that is too long, and media. */
  readonly material?: { readonly text: string } | 'other';
}

const MAX_MATERIAL_LENGTH = 1_000_000;

/**
 * Reads a user message: a text part is the request if it is the last one, and what came with it if others follow. A text within one element, such as
 * `<file name="a.md">`, is not a request, and its tags are not part of it.
 */
export function readAsk(message: Message | undefined): Ask {
  const content = message?.content ?? '';
  if (typeof content === 'string') return { prompt: content };
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const hasMedia = texts.length < content.length;
  const prompt = contentOf(texts.at(-1) ?? '') === undefined ? (texts.pop() ?? '') : '';
  const [first, ...more] = texts;
  if (first === undefined && !hasMedia) return { prompt };
  const text = contentOf(first ?? '') ?? first ?? '';
  const isOther = hasMedia || more.length > 0 || text.length > MAX_MATERIAL_LENGTH;
  return { prompt, material: isOther ? 'other' : { text } };
}

function contentOf(text: string): string | undefined {
  const opened = /^<([a-z]+(?:-\d+)?)(?: name="[^\n]*")?>\n/.exec(text);
  const closing = `</${opened?.[1] ?? ''}>`;
  return opened === null || !text.endsWith(`\n${closing}`) ? undefined : text.slice(opened[0].length, -closing.length);
}

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
  /^(?:its |their )?([^\d\W][\w -]{0,40}?)(?: (?:field|value))?(?: (?:in|of|from) (?:file )?(\S+\.json))?$/i;

/** Reads `tell me the name` as a question about a field of the result before, and `what is the version in package.json` as one about a field of that file. */
export function readField(text: string): { readonly field: string; readonly file: string | undefined } | undefined {
  const [, field = '', file] = FIELD.exec(plainRequest(text) ?? '') ?? [];
  const words = wordsOf(field);
  const isWhole = words.length > 3 || words.some((word) => PART_STEMS.has(stemOf(word)));
  const isMeant = file !== undefined || new RegExp(`\\b(?:the|its|their) ${field}`, 'i').test(text);
  if (isWhole || field === '' || !isMeant) return undefined;
  return file !== undefined && /^(?:contents?|text|file)$/i.test(field) ? undefined : { field, file };
}
