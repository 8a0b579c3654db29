import { attempt } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { type DiffPart, diffLines } from './line-diff.ts';

/** A change of one text file: its text before, undefined for a new file, and after, undefined for one that is removed. */
export interface TextChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What a patch says of one file. */
export type FilePatch =
  | { readonly type: 'add'; readonly path: string; readonly text: string }
  | { readonly type: 'delete'; readonly path: string }
  | { readonly type: 'update'; readonly path: string; readonly hunks: readonly Hunk[] };

interface Hunk {
  readonly lines: readonly { readonly sign: ' ' | '-' | '+'; readonly text: string }[];
  readonly isAtEnd: boolean;
}

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const AT_END = '*** End of File';
const CONTEXT = 3;

/**
 * Writes changes as a patch in the V4A form, which `apply_patch` takes: what a person is shown, and what rules are matched against. The form has no word for the
 * kind of line breaks and for a last line without one.
 */
export function writePatch(changes: readonly TextChange[]): string {
  return [BEGIN, ...changes.flatMap(linesOfChange), END].join('\n');
}

/** Whether the patch of a change says all of it, so that it can be made from the patch alone. */
export function isWhole(change: TextChange): boolean {
  const [patch] = readPatch(writePatch([change]));
  return patch !== undefined && attempt(() => applyTo(change.before, patch)) === change.after;
}

function linesOfChange({ path, before, after }: TextChange): readonly string[] {
  if (after === undefined) return [`*** Delete File: ${path}`];
  if (before === undefined) return [`*** Add File: ${path}`, ...linesOf(after).map((line) => `+${line}`)];
  const header = `*** Update File: ${path}`;
  const [old, now] = [linesOf(before), linesOf(after)];
  const hunks = hunksOf(diffLines(old, now));
  const [patch] = readPatch([BEGIN, header, ...hunks, END].join('\n'));
  // A hunk could also stand where its lines are found first: then the file is written out.
  const isClear = patch !== undefined && sameLines(linesOf(attempt(() => applyTo(before, patch)) ?? ''), now);
  return [header, ...(isClear && hunks.length > 1 ? hunks : wholeHunk(old, now))];
}

function wholeHunk(old: readonly string[], now: readonly string[]): readonly string[] {
  return ['@@', ...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`), AT_END];
}

function sameLines(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, at) => line === other[at]);
}

/** The lines of a text without their line breaks: a last one that is empty is the break of the one before it. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** The hunks of a diff, with some lines of context around what differs. */
function hunksOf(parts: readonly DiffPart[]): readonly string[] {
  const out: string[] = [];
  for (const [at, { sign, lines }] of parts.entries()) {
    if (sign !== ' ') {
      if (out.length === 0) out.push('@@');
      for (const line of lines) out.push(sign + line);
      continue;
    }
    const isFirst = at === 0;
    const isLast = at === parts.length - 1;
    const head = isFirst ? [] : lines.slice(0, CONTEXT);
    const rest = lines.slice(head.length);
    const tail = isLast ? [] : rest.slice(Math.max(0, rest.length - CONTEXT));
    for (const line of head) out.push(` ${line}`);
    if (!isLast && (isFirst || rest.length > tail.length)) out.push('@@');
    for (const line of tail) out.push(` ${line}`);
    if (isLast && rest.length === 0 && !isFirst) out.push(AT_END);
  }
  if (parts.at(-1)?.sign !== ' ') out.push(AT_END);
  return out;
}

/** Reads a patch that was written here, perhaps edited by a person. Throws `ARGUMENTS_INVALID` with the line that is wrong. */
export function readPatch(text: string): readonly FilePatch[] {
  const lines = text.replaceAll('\r\n', '\n').trim().split('\n');
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
      patches.push({ type: 'add', path, text: body.map((line) => `${line.slice(1)}\n`).join('') });
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

/** The text of a file after its part of a patch; undefined if it is removed. Throws `TOOL_FAILED` if the lines of a hunk are not there. */
export function applyTo(before: string | undefined, patch: FilePatch): string | undefined {
  if (patch.type === 'delete') return undefined;
  if (patch.type === 'add') return patch.text;
  const ending = before?.includes('\r\n') === true ? '\r\n' : '\n';
  const lines = linesOf(before ?? '');
  const hasEnd = before === undefined || before === '' || before.endsWith('\n');
  const out: string[] = [];
  let at = 0;
  for (const { lines: hunk, isAtEnd } of patch.hunks) {
    const old = hunk.filter(({ sign }) => sign !== '+').map(({ text }) => text);
    const place = isAtEnd ? placeAtEnd(lines, old, at) : placeOf(lines, old, at);
    if (place === -1)
      throw new KernelError(
        'TOOL_FAILED',
        `The lines that ${JSON.stringify(patch.path)} is to be changed at are not there any more.`,
      );
    out.push(...lines.slice(at, place), ...hunk.filter(({ sign }) => sign !== '-').map(({ text }) => text));
    at = place + old.length;
  }
  out.push(...lines.slice(at));
  if (out.length === 0) return '';
  return out.join(ending) + (hasEnd ? ending : '');
}

function placeAtEnd(lines: readonly string[], wanted: readonly string[], from: number): number {
  const place = lines.length - wanted.length;
  return place >= from && wanted.every((line, at) => lines[place + at] === line) ? place : -1;
}

function placeOf(lines: readonly string[], wanted: readonly string[], from: number): number {
  for (let place = from; place <= lines.length - wanted.length; place += 1)
    if (wanted.every((line, at) => lines[place + at] === line)) return place;
  return -1;
}

function wrongLine(line: number, what: string): KernelError {
  return new KernelError('ARGUMENTS_INVALID', `Line ${line} of the patch ${what}.`);
}
