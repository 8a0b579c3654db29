import type { Line, Span } from './spans.ts';
import { splitAt, textWidth } from './text-width.ts';

/** Breaks spans into lines of a width, between words where possible. A `\n` in a text ends its line. */
export function wrapSpans(spans: Line, width: number): readonly Line[] {
  const lines: Line[] = [];
  let line: Span[] = [];
  let used = 0;
  const endLine = (): void => {
    lines.push(trimEnd(line));
    line = [];
    used = 0;
  };
  for (const word of wordsOf(spans)) {
    if (word === 'newline') {
      endLine();
      continue;
    }
    const wordWidth = word.reduce((sum, { text }) => sum + textWidth(text), 0);
    if (used > 0 && used + wordWidth > width) {
      endLine();
      if (isBlank(word)) continue;
    }
    for (const piece of word) {
      let rest = piece.text;
      for (;;) {
        const [head, tail] = splitAt(rest, Math.max(1, width - used));
        if (head === '' && used === 0) break;
        line.push({ ...piece, text: head });
        used += textWidth(head);
        if (tail === '') break;
        rest = tail;
        endLine();
      }
    }
  }
  if (line.length > 0 || lines.length === 0) endLine();
  return lines;
}

function isBlank(word: Line): boolean {
  return word.every(({ text }) => text.trim() === '');
}

function trimEnd(line: readonly Span[]): Line {
  const last = line.at(-1);
  return last !== undefined && last.text.trim() === '' ? line.slice(0, -1) : line;
}

/** The words and the blanks between them, in order. A word may be of several spans. */
function* wordsOf(spans: Line): Generator<Line | 'newline'> {
  let word: Span[] = [];
  let wasBlank = false;
  for (const each of spans) {
    for (const text of each.text.split(/(\n| +)/)) {
      if (text === '') continue;
      const isSpace = text === '\n' || text.startsWith(' ');
      if (word.length > 0 && (isSpace || wasBlank)) {
        yield word;
        word = [];
      }
      wasBlank = isSpace;
      if (text === '\n') yield 'newline';
      else word.push({ ...each, text });
    }
  }
  if (word.length > 0) yield word;
}
