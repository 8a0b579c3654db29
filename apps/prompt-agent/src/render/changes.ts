import { markInvisible } from '../terminal/visible.ts';

const MAX_LINES = 200;
const MAX_LENGTH = 400;

/** Returns what a tool shows of its change, such as a diff, as indented lines: every character visible, long lines cut, and at most 200 of them. */
export function changeLines(forUser: string): readonly string[] {
  const lines = forUser.replaceAll('\r\n', '\n').trimEnd().split('\n');
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${visible(line)}`);
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, `  … ${left} more ${left === 1 ? 'line' : 'lines'}`];
}

/** Tabs stay: code is full of them. */
function visible(line: string): string {
  const cut =
    line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}… (${line.length - MAX_LENGTH} more characters)` : line;
  return cut.split('\t').map(markInvisible).join('\t');
}
