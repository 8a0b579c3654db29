import { duplicateKeys } from '@kernel/protocol';
import { safeText } from '../render/escape.ts';

/** Characters without a shape of their own (Unicode's `Default_Ignorable_Code_Point`), and spaces other than the usual one. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|(?! )\p{Space_Separator}/gu;

/** The longest call that is shown on one line, in characters. */
const MAX_LINE = 100;

/**
 * Shows a call whole, for somebody who decides on it: on one line if it is short, otherwise as indented JSON. Control and invisible characters become
 * visible text such as `\u200b`; keys that are there twice are named.
 */
export function showCall(name: string, json: string): readonly string[] {
  const duplicates = duplicateKeys(json);
  const short = `${mark(name)} ${mark(json)}`;
  const lines =
    short.length <= MAX_LINE && !short.includes('\n') ? [short] : [mark(name), ...mark(indent(json)).split('\n')];
  return duplicates.length === 0
    ? lines
    : [
        ...lines,
        `Attention: these keys are there twice, and which one counts is not certain: ${mark(duplicates.join(', '))}`,
      ];
}

/** Breaks lines that are wider than the terminal, so that what scrolls is counted. */
export function wrapLines(lines: readonly string[], columns: number): readonly string[] {
  const width = Math.max(20, columns);
  return lines.flatMap((line) => {
    const pieces = [];
    for (let from = 0; from === 0 || from < line.length; from += width) pieces.push(line.slice(from, from + width));
    return pieces;
  });
}

/** The text as JSON with two spaces, or unchanged if it has keys twice or is not valid: what is shown must be what runs. */
function indent(json: string): string {
  if (duplicateKeys(json).length > 0) return json;
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}

function mark(text: string): string {
  return safeText(text).replaceAll(INVISIBLE, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
    return code.length > 4 ? `\\u{${code}}` : `\\u${code}`;
  });
}
