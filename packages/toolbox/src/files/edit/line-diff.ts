import { sliceHead } from '@kernel/internal';

const MAX_SHOWN = 10;

export interface TextEdit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean;
}

export function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Returns a text such as `line 3` or `lines 3, 9 and 2 more`. */
export function lineList(text: string, places: readonly { readonly start: number }[]): string {
  const lines = places.slice(0, MAX_SHOWN).map(({ start }) => lineAt(text, start));
  const rest = places.length - lines.length;
  return `${places.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

export function toEnding(text: string, ending: '\n' | '\r\n'): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\n', ending);
}

/** A part of a text that was replaced, in characters of the old text. */
export interface Replaced {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const CONTEXT = 3;
const MAX_DIFF = 20_000;

/** Puts replacements into a text. They are in order and do not overlap. */
export function applyReplacements(text: string, replacements: readonly Replaced[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { end, start, text: by } of replacements) {
    parts.push(text.slice(at, start), by);
    at = end;
  }
  return parts.join('') + text.slice(at);
}

/** A unified diff of known replacements, with three lines around each; it looks only at the lines near them. */
export function unifiedDiff(path: string, text: string, replacements: readonly Replaced[]): string {
  const hunks: string[] = [];
  let line = 1;
  let counted = 0;
  let shift = 0;
  for (const group of groups(text, replacements)) {
    const from = lineStart(text, group[0]?.start ?? 0, CONTEXT);
    const to = lineEnd(text, group.at(-1)?.end ?? 0, CONTEXT);
    line += newlines(text, counted, from);
    counted = from;
    const inside = group.map(({ end, start, text: by }) => ({ start: start - from, end: end - from, text: by }));
    const old = linesOf(text.slice(from, to));
    const now = linesOf(applyReplacements(text.slice(from, to), inside));
    hunks.push(`@@ -${range(line, old)} +${range(line + shift, now)} @@\n${hunkBody(old, now)}`);
    shift += now.length - old.length;
  }
  const whole = `--- a/${path}\n+++ b/${path}\n${hunks.join('\n')}`;
  return whole.length <= MAX_DIFF ? whole : `${sliceHead(whole, MAX_DIFF)}\n… (the diff goes on)`;
}

function groups(text: string, replacements: readonly Replaced[]): readonly (readonly Replaced[])[] {
  const all: Replaced[][] = [];
  let end = -1;
  let newline = -1;
  for (const each of replacements) {
    // A line may be as long as the file and hold them all: it is looked through once.
    if (each.start <= end || lineStart(text, each.start, CONTEXT) <= end) all.at(-1)?.push(each);
    else all.push([each]);
    if (each.end <= newline) continue;
    end = lineEnd(text, each.end, CONTEXT);
    newline = text.indexOf('\n', each.end);
    if (newline === -1) newline = text.length;
  }
  return all;
}

function hunkBody(old: readonly string[], now: readonly string[]): string {
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  return [
    ...mark(' ', old.slice(0, head)),
    ...mark('-', old.slice(head, old.length - tail)),
    ...mark('+', now.slice(head, now.length - tail)),
    ...mark(' ', old.slice(old.length - tail)),
  ].join('\n');
}

function mark(sign: string, lines: readonly string[]): readonly string[] {
  return lines.map((each) => sign + each.replace(/\r$/, ''));
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function range(line: number, lines: readonly string[]): string {
  return lines.length === 1 ? `${line}` : `${lines.length === 0 ? line - 1 : line},${lines.length}`;
}

function lineStart(text: string, at: number, linesAbove: number): number {
  let start = at;
  for (let left = linesAbove; left >= 0 && start > 0; left -= 1) {
    const newline = text.lastIndexOf('\n', start - (left === linesAbove ? 1 : 2));
    if (newline === -1) return 0;
    start = newline + 1;
  }
  return start;
}

function lineEnd(text: string, at: number, linesBelow: number): number {
  // A replacement that ends with a line has its context from the next line on.
  let end = at > 0 && text[at - 1] === '\n' ? at - 1 : at;
  for (let left = linesBelow; left >= 0; left -= 1) {
    const newline = text.indexOf('\n', end);
    if (newline === -1) return text.length;
    end = newline + 1;
  }
  return end;
}

function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
