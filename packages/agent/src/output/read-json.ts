import { truncate } from '@kernel/internal';
import { findJsonLoss } from '@kernel/protocol';

/** The value of a reply's JSON, or what is wrong with it. */
export type ReadJson = { readonly value: unknown } | { readonly issue: string };

/**
 * Reads the JSON of a reply: the whole text, or what stands in its first code fence, or the first object or list in it. A number that would be
 * rounded and a key that an object has twice are refused.
 */
export function readJson(text: string): ReadJson {
  const whole = text.trim();
  const candidates = [whole, fenced(whole), embedded(whole)];
  for (const candidate of candidates) {
    const value = candidate === undefined ? undefined : parse(candidate);
    if (candidate === undefined || value === undefined) continue;
    const loss = findJsonLoss(candidate, value.json, true);
    if (loss === undefined) return { value: value.json };
    const problem = loss.kind === 'duplicate-key' ? 'the object has this key twice' : 'the number would be rounded';
    return { issue: `${truncate(loss.path, 80) || '/'}: ${problem} (${truncate(loss.text, 40)})` };
  }
  return { issue: whole === '' ? 'the answer is empty' : 'the answer is not valid JSON' };
}

function parse(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The content of the first code fence. */
function fenced(text: string): string | undefined {
  const fence = text.indexOf('```');
  const start = fence === -1 ? -1 : text.indexOf('\n', fence);
  const end = start === -1 ? -1 : text.indexOf('```', start);
  return end === -1 ? undefined : text.slice(start, end).trim();
}

/** The first object or list, up to the bracket that closes it. */
function embedded(text: string): string | undefined {
  const start = text.search(/[[{]/);
  if (start === -1) return undefined;
  let depth = 0;
  let isInString = false;
  for (let index = start; index < text.length; index += 1) {
    const char = text[index];
    if (isInString) {
      if (char === '\\') index += 1;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) return text.slice(start, index + 1);
    }
  }
  return undefined;
}
