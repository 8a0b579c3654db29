import { truncate, wellFormedJson } from '@kernel/internal';
// Control characters except tab and newline, line separators, and bidirectional controls.
// oxlint-disable-next-line no-control-regex -- finding them is what this file is for
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Makes text from a model or a tool safe for a terminal: each control character except tab and newline, and each bidirectional control,
 * becomes visible text such as `\x1b`. Works piece by piece and keeps no state.
 */
export function safeText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Does the same for JSON text, which stays valid and equal, but for half a surrogate pair, which becomes U+FFFD. `replace` changes values, as in `JSON.stringify`. */
export function safeJson(value: unknown, space?: number, replace?: (key: string, value: unknown) => unknown): string {
  return wellFormedJson(JSON.stringify(value, replace, space) ?? 'null').replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns one line of at most `limit` characters, for notes. */
export function oneLine(text: string, limit = 160): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return safeText(truncate(line, limit));
}
