import { terminalText, truncate, wellFormedJson } from '@kernel/internal';

/** JSON text that cannot act on a terminal, valid and equal, but for half a surrogate pair, which becomes U+FFFD. `replace` changes values, as in `JSON.stringify`. */
export function safeJson(value: unknown, space?: number, replace?: (key: string, value: unknown) => unknown): string {
  return wellFormedJson(JSON.stringify(value, replace, space) ?? 'null').replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns one line of at most `limit` characters, for notes. */
export function oneLine(text: string, limit = 160): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return terminalText(truncate(line, limit));
}
