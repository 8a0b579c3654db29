import { quote, toolError } from '../../workspace/errors.ts';
import { indexOfText } from './find-sequence.ts';
import type { Replaced } from './line-diff.ts';

const MAX_SHOWN = 10;
const MAX_PLACES = 100_000;

/** One replacement that a model asked for. */
export interface TextEdit {
  /** The text to replace. */
  readonly old_text: string;
  /** What takes its place. */
  readonly new_text: string;
  /** Whether every occurrence is replaced. */
  readonly replace_all?: boolean;
}

/** Where edits apply. */
export interface Located {
  /** The places, in order, without overlap. */
  readonly replacements: readonly Replaced[];
  /** How many edits fitted only when white space was not compared. */
  readonly loose: number;
}

/** Finds where each edit applies in a text; all are looked up in the text as it is. Throws an error that says what to do if one cannot be. */
export function locateEdits(path: string, text: string, edits: readonly TextEdit[], ending: '\n' | '\r\n'): Located {
  let loose = 0;
  let lines: TextLines | undefined;
  const found = edits.flatMap((edit, index) => {
    const which = edits.length === 1 ? 'old_text' : `old_text of edit ${index + 1}`;
    const refuse = (problem: string): Error => toolError(`${quote(path)}: ${which} ${problem} Nothing was changed.`);
    if (edit.old_text === '') throw refuse('is empty; use write_file for a whole file.');
    if (edit.old_text === edit.new_text) throw refuse('is the same as new_text.');
    const exact = locateExactly(text, edit, ending);
    if (exact.length > 1 && edit.replace_all !== true)
      throw refuse(
        `occurs ${exact.length} times, in ${lineList(text, exact)}. Add lines around it, or set replace_all.`,
      );
    if (exact.length > 0) return exact;
    lines ??= linesOf(text);
    const near = locateLoosely(text, lines, edit, ending);
    if (near.length === 0) throw refuse('is not in the file. Read the file and copy the text exactly.');
    if (near.length > 1)
      throw refuse(`fits only if white space is not compared, and then in ${lineList(text, near)}. Copy it exactly.`);
    loose += 1;
    return near;
  });
  const replacements = found.toSorted((a, b) => a.start - b.start || a.end - b.end);
  for (const [index, { start }] of replacements.entries()) {
    if (start < (replacements[index - 1]?.end ?? 0))
      throw toolError(
        `${quote(path)}: two edits overlap in ${lineList(text, [{ start }])}; make them one. Nothing was changed.`,
      );
  }
  return { replacements, loose };
}

/** The number of the line in which a place is, from 1. */
export function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** `line 3`, `lines 3, 9 and 2 more`. */
export function lineList(text: string, places: readonly { readonly start: number }[]): string {
  const lines = places.slice(0, MAX_SHOWN).map(({ start }) => lineAt(text, start));
  const rest = places.length - lines.length;
  return `${places.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Models write `\n`; a file with `\r\n` is meant all the same, and keeps its endings. */
function locateExactly(
  text: string,
  { new_text: newText, old_text: oldText }: TextEdit,
  ending: '\n' | '\r\n',
): readonly Replaced[] {
  const asWritten = placesOf(text, oldText, withEnding(newText, ending, oldText));
  if (asWritten.length > 0 || !oldText.includes('\n')) return asWritten;
  for (const other of ['\r\n', '\n'] as const) {
    const places = placesOf(text, toEnding(oldText, other), toEnding(newText, other));
    if (places.length > 0) return places;
  }
  return [];
}

function placesOf(text: string, wanted: string, by: string): readonly Replaced[] {
  const places: Replaced[] = [];
  for (let at = indexOfText(text, wanted, 0); at !== -1; at = indexOfText(text, wanted, at + wanted.length)) {
    places.push({ start: at, end: at + wanted.length, text: by });
    if (places.length > MAX_PLACES)
      throw toolError(`The text occurs more than ${MAX_PLACES} times. Nothing was changed.`);
  }
  return places;
}

/** Whole lines that are the same but for white space; the new text gets their indentation. */
function locateLoosely(
  text: string,
  { normal: lines, starts }: TextLines,
  { new_text: newText, old_text: oldText }: TextEdit,
  ending: '\n' | '\r\n',
): readonly Replaced[] {
  const wanted = trimLines(oldText.split('\n'));
  const normal = wanted.map(normalizeSpace);
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
interface TextLines {
  /** Where each begins. */
  readonly starts: readonly number[];
  /** Each without the white space that is not compared. */
  readonly normal: readonly string[];
}

function linesOf(text: string): TextLines {
  const starts = lineStarts(text);
  return { starts, normal: starts.map((_, index) => normalizeSpace(lineOf(text, starts, index))) };
}

function lineOf(text: string, starts: readonly number[], index: number): string {
  return text.slice(starts[index], (starts[index + 1] ?? text.length + 1) - 1);
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function normalizeSpace(line: string): string {
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

function toEnding(text: string, ending: '\n' | '\r\n'): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\n', ending);
}

/** New lines get the file's ending, unless the text to replace says otherwise. */
function withEnding(text: string, ending: '\n' | '\r\n', oldText: string): string {
  return oldText.includes('\n') && !oldText.includes('\r\n') ? text : toEnding(text, ending);
}
