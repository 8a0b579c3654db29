/** Begins what goes on from the line above, so that no text can fill its line up to the end of the row and begin what looks like another one. */
const CONTINUED = '│ ';
const CONTINUED_COLUMNS = 3;

/**
 * Breaks lines that are wider than the terminal or hold a newline, so that what scrolls is counted; each further piece of a line is marked. A character outside
 * ASCII counts as two columns and a tab as eight, which none exceeds.
 */
export function wrapLines(lines: readonly string[], columns: number): readonly string[] {
  const width = Math.max(20, columns);
  return lines.flatMap((line) => {
    const pieces: string[] = [];
    let piece = '';
    let used = 0;
    for (const character of line) {
      const own = character === '\t' ? 8 : character < '\u007f' ? 1 : 2;
      if (used + own > width || character === '\n') {
        pieces.push(piece);
        piece = CONTINUED;
        used = CONTINUED_COLUMNS;
      }
      if (character === '\n') continue;
      piece += character;
      used += own;
    }
    return [...pieces, piece];
  });
}
