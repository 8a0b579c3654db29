import { truncate } from '@kernel/internal';
import { findJsonLoss } from '@kernel/protocol';
import { type JsonPiece, jsonPieces, parseJson } from './json-pieces.ts';

/**
 * Returns what the answer in a reply may be, the likeliest first: the whole text, if it is JSON, or else what stands in its first code fence, and the
 * objects and lists in it, the last one first: what is before the answer may be an example or a thought.
 */
export function* readJson(text: string): Generator<JsonPiece, void> {
  const whole = text.trim();
  const parsed = parseJson(whole);
  if (parsed !== undefined) {
    yield { text: whole, value: parsed.value };
    // JSON that was encoded twice, as some models do with the arguments of a call.
    if (typeof parsed.value === 'string') yield* readJson(parsed.value);
    return;
  }
  const code = fenced(whole);
  const scalar = code === undefined ? undefined : parseJson(code);
  // An object or a list is one of the pieces.
  if (code !== undefined && scalar !== undefined && (typeof scalar.value !== 'object' || scalar.value === null))
    yield { text: code, value: scalar.value };
  yield* jsonPieces(whole);
}

/** Whether a text is one JSON value, alone or in a code fence, that would not be one if its end were missing: a number alone is not. */
export function isWholeJson(text: string): boolean {
  const whole = text.trim();
  if (whole.startsWith('```') && whole.endsWith('```'))
    return parseJson(whole.slice(whole.indexOf('\n'), -'```'.length)) !== undefined;
  return !/^[-\d]/.test(whole) && parseJson(whole) !== undefined;
}

/** Returns what was lost when JSON was parsed: a number that was rounded, or a key that an object has twice. */
export function describeLoss({ text, value }: JsonPiece): string | undefined {
  const loss = findJsonLoss(text, value, true);
  if (loss === undefined) return undefined;
  const problem = loss.kind === 'duplicate-key' ? 'the object has this key twice' : 'the number would be rounded';
  return `${truncate(loss.path, 80) || '/'}: ${problem} (${truncate(loss.text, 40)})`;
}

function fenced(text: string): string | undefined {
  const fence = text.indexOf('```');
  const start = fence === -1 ? -1 : text.indexOf('\n', fence);
  const end = start === -1 ? -1 : text.indexOf('```', start);
  return end === -1 ? undefined : text.slice(start, end).trim();
}
