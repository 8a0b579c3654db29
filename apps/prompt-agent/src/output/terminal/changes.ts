import { sliceHead, visible } from '@kernel/internal';
import { type Line, span, type Style } from './spans.ts';

const MAX_LINES = 200;
const MAX_LENGTH = 400;
const MAX_TOOL_DIFF = 20_000;

/** Returns what a tool shows of its change, such as a diff, as indented lines: every character visible, long lines cut, and at most 200 of them. */
export function changeLines(forUser: string): readonly string[] {
  const lines = forUser.replaceAll('\r\n', '\n').trimEnd().split('\n');
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${shownLine(line)}`);
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, `  … ${left} more ${left === 1 ? 'line' : 'lines'}`];
}

export function colouredChange(forUser: string): readonly Line[] {
  return changeLines(forUser).map((line) => [span(line, ...diffStyle(line))]);
}

/** Whether a diff says all that changes: it is not cut, by the tool or here, and is not a mere count of bytes. */
export function isWholeChange(forUser: string): boolean {
  const lines = forUser.trimEnd().split('\n');
  return (
    forUser.length < MAX_TOOL_DIFF &&
    /^(?:--- |\*\*\* Begin Patch)/.test(forUser) &&
    lines.some((line) => /^(?:[+-](?!\+\+ |-- )|\*\*\* (?:Add|Delete|Move))/.test(line)) &&
    lines.length <= MAX_LINES &&
    lines.every((line) => line.length <= MAX_LENGTH)
  );
}

function diffStyle(line: string): readonly Style[] {
  if (line.trimStart().startsWith('@@')) return ['cyan'];
  if (line.startsWith('  +')) return ['green'];
  return line.startsWith('  -') ? ['red'] : ['dim'];
}

/** Tabs stay: code is full of them. */
function shownLine(line: string): string {
  const cut =
    line.length > MAX_LENGTH ? `${sliceHead(line, MAX_LENGTH)}… (${line.length - MAX_LENGTH} more characters)` : line;
  return cut.split('\t').map(visible).join('\t');
}

/** The most characters of a tool's result that a terminal is given: about six hundred full lines. */
const MAX_SHOWN = 50_000;

/** Cuts the result of a tool for a terminal. In a pipe or a file it stays whole. */
export function cutForTerminal(text: string): { readonly text: string; readonly note?: string } {
  if (text.length <= MAX_SHOWN) return { text };
  const lineEnd = text.lastIndexOf('\n', MAX_SHOWN);
  const shown = sliceHead(text, lineEnd > 0 ? lineEnd : MAX_SHOWN);
  const numbers = new Intl.NumberFormat('en');
  return {
    text: shown,
    note: `cut: the first ${numbers.format(shown.length)} of ${numbers.format(text.length)} characters are shown; add > FILE or | less for the rest`,
  };
}
