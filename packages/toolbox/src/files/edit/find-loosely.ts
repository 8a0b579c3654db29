import type { Replaced } from './line-diff.ts';
import type { TextEdit } from './text-edit.ts';

/** Whole lines that are the same but for white space; the new text gets their indentation. */
export function locateLoosely(
  text: string,
  { normal: lines, starts }: TextLines,
  { new_text: newText, old_text: oldText }: TextEdit,
  ending: '\n' | '\r\n',
  normalize = normalizeSpace,
): readonly Replaced[] {
  const wanted = trimLines(oldText.split('\n'));
  const normal = wanted.map(normalize);
  if (normal.every((line) => line === '')) return [];
  const found: Replaced[] = [];
  const lineText = (index: number) => lineOf(text, starts, index);
  for (const index of matchesOf(lines, normal)) {
    const last = index + normal.length - 1;
    const first = lineText(index);
    const end = (starts[last] ?? 0) + lineText(last).replace(/\r$/, '').length;
    const by = reindent(trimLines(newText.split('\n')), indentOf(wanted[0] ?? ''), indentOf(first));
    found.push({ start: starts[index] ?? 0, end, text: by.map((line) => line.replace(/\r$/, '')).join(ending) });
  }
  return found;
}

/** Where a sequence of lines occurs among others: by the failure table of Knuth, Morris and Pratt, in linear time. */
function matchesOf(lines: readonly string[], wanted: readonly string[]): readonly number[] {
  const table = [0];
  for (let index = 1, length = 0; index < wanted.length; index += 1) {
    while (length > 0 && wanted[index] !== wanted[length]) length = table[length - 1] ?? 0;
    if (wanted[index] === wanted[length]) length += 1;
    table.push(length);
  }
  const found: number[] = [];
  let matched = 0;
  for (const [index, line] of lines.entries()) {
    while (matched > 0 && line !== wanted[matched]) matched = table[matched - 1] ?? 0;
    if (line === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    found.push(index - matched + 1);
    matched = table[matched - 1] ?? 0;
  }
  return found;
}

/** The lines of a text, for every edit that does not fit exactly. */
export interface TextLines {
  /** Where each begins. */
  readonly starts: readonly number[];
  /** Each without the white space that is not compared. */
  readonly normal: readonly string[];
}

/** The lines of a text, and what of each is compared. */
export function linesOf(text: string, normalize = normalizeSpace): TextLines {
  const starts = lineStarts(text);
  return { starts, normal: starts.map((_, index) => normalize(lineOf(text, starts, index))) };
}

function lineOf(text: string, starts: readonly number[], index: number): string {
  return text.slice(starts[index], (starts[index + 1] ?? text.length + 1) - 1);
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** A line whose white space is single spaces, with none around it. */
export function normalizeSpace(line: string): string {
  return line.trim().replaceAll(/\s+/g, ' ');
}

function trimLines(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first === -1 ? [] : lines.slice(first, last + 1);
}

function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

function reindent(lines: readonly string[], from: string, to: string): readonly string[] {
  return lines.map((line) => (line.trim() !== '' && line.startsWith(from) ? to + line.slice(from.length) : line));
}
