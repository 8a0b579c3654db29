import { safeText } from '../escape.ts';

/**
 * Characters that may show as nothing: those that Unicode calls ignorable, format characters, private, unassigned and half ones, tabs, and blanks
 * other than the usual space.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}\p{Cn}\p{Cs}\t\u2800]|(?! )\p{Space_Separator}/gu;

/** Returns the text with control and invisible characters as visible text, such as `\u200b`. Newlines stay. */
export function markInvisible(text: string): string {
  return safeText(text).replaceAll(INVISIBLE, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
    return code.length > 4 ? `\\u{${code}}` : `\\u${code}`;
  });
}

/** Begins what goes on from the line above, so that no text can fill its line up to the end of the row and begin what looks like another one. */
const CONTINUED = '│ ';
const CONTINUED_COLUMNS = 3;

/**
 * Breaks lines that are wider than the terminal, so that what scrolls is counted; each further piece of a line is marked. A character outside ASCII counts
 * as two columns, which none exceeds.
 */
export function wrapLines(lines: readonly string[], columns: number): readonly string[] {
  const width = Math.max(20, columns);
  return lines.flatMap((line) => {
    const pieces: string[] = [];
    let piece = '';
    let used = 0;
    for (const character of line) {
      const own = character < '\u007f' ? 1 : 2;
      if (used + own > width) {
        pieces.push(piece);
        piece = CONTINUED;
        used = CONTINUED_COLUMNS;
      }
      piece += character;
      used += own;
    }
    return [...pieces, piece];
  });
}
