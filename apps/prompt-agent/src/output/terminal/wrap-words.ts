/**
 * Breaks a line of plain text between words, so that a terminal does not break it within one. A character counts as one column; a word that is longer than the width
 * stays whole, and so does a line that fits.
 */
export function wrapWords(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const indent = rest.length - rest.trimStart().length;
    const before = rest.lastIndexOf(' ', width);
    const at = before > indent ? before : rest.indexOf(' ', Math.max(width, indent));
    if (at === -1) break;
    lines.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return [...lines, rest];
}
