import { placesOfSequence } from './find-sequence.ts';
import type { Replaced, TextEdit } from './line-diff.ts';

/** Finds whole lines that differ only in white space. Each new line gets the indentation that the file has where the old text has its own. */
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
  for (const index of placesOfSequence(lines, normal)) {
    const last = index + normal.length - 1;
    const end = (starts[last] ?? 0) + lineText(last).replace(/\r$/, '').length;
    const indent = indentation(wanted, (offset) => lineText(index + offset));
    const by = trimLines(newText.split('\n')).map((line) => (line.trim() === '' ? line : indent(line)));
    found.push({ start: starts[index] ?? 0, end, text: by.map((line) => line.replace(/\r$/, '')).join(ending) });
  }
  return found;
}

export interface TextLines {
  readonly starts: readonly number[];
  /** Each without the white space that is not compared. */
  readonly normal: readonly string[];
}

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

/** Returns what indents a line of the new text as the file does. What is deeper than any line of the old text goes on in the file's steps, as far as they are known. */
function indentation(wanted: readonly string[], fileLine: (offset: number) => string): (line: string) => string {
  const known = new Map<string, string>();
  for (const [offset, line] of wanted.entries())
    if (line.trim() !== '' && !known.has(indentOf(line))) known.set(indentOf(line), indentOf(fileLine(offset)));
  const froms = [...known.keys()].toSorted((a, b) => b.length - a.length);
  const step = stepOf(known, froms);
  return (line) => {
    const from = froms.find((each) => line.startsWith(each));
    if (from === undefined) return line;
    const deeper = indentOf(line).slice(from.length);
    const text = line.slice(from.length + deeper.length);
    return (known.get(from) ?? '') + (step === undefined ? deeper : deeper.replaceAll(...step)) + text;
  };
}

/** The step from one indentation to a deeper one, as the old text and as the file has it; with one indentation alone, what a tab stands for. */
function stepOf(
  known: ReadonlyMap<string, string>,
  froms: readonly string[],
): readonly [from: string, to: string] | undefined {
  for (const [index, deep] of froms.entries()) {
    const flat = froms[index + 1];
    const [to = '', base = ''] = [known.get(deep), flat === undefined ? undefined : known.get(flat)];
    if (flat === undefined || !deep.startsWith(flat) || !to.startsWith(base) || to === base) continue;
    return [deep.slice(flat.length), to.slice(base.length)];
  }
  for (const [from, to] of known) {
    const tabs = [from, to].find((indent) => /^\t+$/.test(indent))?.length ?? 0;
    if (tabs > 0 && from !== '' && to !== '' && from.length % tabs === 0 && to.length % tabs === 0)
      return [from.slice(0, from.length / tabs), to.slice(0, to.length / tabs)];
  }
  return undefined;
}
