import { KernelError } from '@kernel/protocol';
import { linesOf } from './lines.ts';

/** What a patch says of one file. */
export type FilePatch =
  | { readonly type: 'add'; readonly path: string; readonly lines: readonly string[] }
  | { readonly type: 'delete'; readonly path: string }
  | { readonly type: 'update'; readonly path: string; readonly hunks: readonly Hunk[] };

interface Hunk {
  readonly lines: readonly { readonly sign: ' ' | '-' | '+'; readonly text: string }[];
  readonly isAtEnd: boolean;
}

/** The first line of a patch. */
export const BEGIN = '*** Begin Patch';
/** The last line of a patch. */
export const END = '*** End Patch';
const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
/** The line behind a hunk that reaches to the end of its file. */
export const AT_END = '*** End of File';

/**
 * Joins parts to a patch in the V4A form, which `apply_patch` takes: what a person is shown, and what rules are matched against. The form has no word for the
 * kind of line breaks and for a last line without one.
 */
export function joinPatch(parts: readonly string[]): string {
  return [BEGIN, ...parts, END].join('\n');
}

/**
 * Reads a patch that was written here. One that a person `isEdited` may have other line breaks. Throws `ARGUMENTS_INVALID` with the line that is wrong.
 */
export function readPatch(text: string, isEdited = false): readonly FilePatch[] {
  const lines = (isEdited ? text.replaceAll('\r\n', '\n').trim() : text).split('\n');
  if (lines[0] !== BEGIN) throw wrongLine(1, `must be "${BEGIN}"`);
  if (lines.at(-1) !== END) throw wrongLine(lines.length, `must be "${END}"`);
  const patches: FilePatch[] = [];
  for (let at = 1; at < lines.length - 1;) {
    const [, kind, path = ''] = HEADER.exec(lines[at] ?? '') ?? [];
    if (kind === undefined) throw wrongLine(at + 1, 'must name a file');
    const first = at + 1;
    at = first;
    while (at < lines.length - 1 && !HEADER.test(lines[at] ?? '')) at += 1;
    const body = lines.slice(first, at);
    if (kind === 'Delete') patches.push({ type: 'delete', path });
    else if (kind === 'Add') {
      const wrong = body.findIndex((line) => !line.startsWith('+'));
      if (wrong !== -1) throw wrongLine(first + wrong + 1, 'of a new file must begin with "+"');
      patches.push({ type: 'add', path, lines: body.map((line) => line.slice(1)) });
    } else patches.push({ type: 'update', path, hunks: readHunks(body, first) });
  }
  return patches;
}

function readHunks(body: readonly string[], first: number): readonly Hunk[] {
  const hunks: { lines: { sign: ' ' | '-' | '+'; text: string }[]; isAtEnd: boolean }[] = [];
  for (const [at, line] of body.entries()) {
    const sign = line[0] ?? ' ';
    if (line === AT_END) {
      const last = hunks.at(-1);
      if (last !== undefined) last.isAtEnd = true;
    } else if (line.startsWith('@@')) hunks.push({ lines: [], isAtEnd: false });
    else if (sign === ' ' || sign === '-' || sign === '+') {
      if (hunks.length === 0) hunks.push({ lines: [], isAtEnd: false });
      hunks.at(-1)?.lines.push({ sign, text: line.slice(1) });
    } else throw wrongLine(first + at + 1, 'must begin with " ", "-", "+" or "@@"');
  }
  return hunks;
}

/** The lines of a file after its part of a patch. Throws `TOOL_FAILED` if the lines of a hunk are not there. */
export function linesAfter(before: string | undefined, patch: FilePatch): readonly string[] {
  if (patch.type === 'delete') return [];
  if (patch.type === 'add') return patch.lines;
  const lines = linesOf(before ?? '');
  // The part of an empty file whose mode alone changes: the form asks for a line.
  if (lines.length === 0 && patch.hunks.every((hunk) => hunk.lines.every(({ sign, text }) => sign + text === ' ')))
    return [];
  const out: string[] = [];
  let at = 0;
  for (const { lines: hunk, isAtEnd } of patch.hunks) {
    const old = hunk.filter(({ sign }) => sign !== '+').map(({ text }) => text);
    const index = isAtEnd ? indexAtEnd(lines, old, at) : indexOfLines(lines, old, at);
    if (index === -1)
      throw new KernelError('TOOL_FAILED', `The lines to change in ${JSON.stringify(patch.path)} are no longer there.`);
    for (; at < index; at += 1) out.push(lines[at] ?? '');
    for (const { sign, text } of hunk) if (sign !== '-') out.push(text);
    at = index + old.length;
  }
  for (; at < lines.length; at += 1) out.push(lines[at] ?? '');
  return out;
}

function indexAtEnd(lines: readonly string[], wanted: readonly string[], from: number): number {
  const index = lines.length - wanted.length;
  return index >= from && wanted.every((line, at) => lines[index + at] === line) ? index : -1;
}

/** Where some lines are found first, in time of the lines alone (Knuth, Morris and Pratt); -1 if they are not there. */
function indexOfLines(lines: readonly string[], wanted: readonly string[], from: number): number {
  if (wanted.length === 0) return from;
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = from; at < lines.length; at += 1) {
    while (matched > 0 && lines[at] !== wanted[matched]) matched = borders[matched - 1] ?? 0;
    if (lines[at] === wanted[matched]) matched += 1;
    if (matched === wanted.length) return at - matched + 1;
  }
  return -1;
}

/** For each beginning of some lines, how many of its first lines are its last ones too. */
function bordersOf(wanted: readonly string[]): readonly number[] {
  const borders = [0];
  let matched = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    while (matched > 0 && wanted[at] !== wanted[matched]) matched = borders[matched - 1] ?? 0;
    if (wanted[at] === wanted[matched]) matched += 1;
    borders.push(matched);
  }
  return borders;
}

function wrongLine(line: number, what: string): KernelError {
  return new KernelError('ARGUMENTS_INVALID', `Line ${line} of the patch ${what}.`);
}
