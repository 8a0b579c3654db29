import { attempt } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { type DiffPart, diffLines } from './line-diff.ts';

/** A change of one text file: its text before, undefined for a new file, and after, undefined for one that is removed. The same text: its mode alone changes. */
export interface TextChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Line breaks of a text in their order, each with how many lines it ends: `[['\r\n', 3], ['', 1]]`. */
export type LineBreaks = readonly (readonly [text: string, count: number])[];

/** What a patch says of one file. */
export type FilePatch =
  | { readonly type: 'add'; readonly path: string; readonly lines: readonly string[] }
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
 * Joins parts to a patch in the V4A form, which `apply_patch` takes: what a person is shown, and what rules are matched against. The form has no word for the
 * kind of line breaks and for a last line without one.
 */
export function joinPatch(parts: readonly string[]): string {
  return [BEGIN, ...parts, END].join('\n');
}

/**
 * Writes the part of one change; undefined if it would have more characters than `max`. A long text is worked on for some tenths of a second: `pause` is awaited between
 * the steps, and ends them by what it throws.
 */
export async function writePart(
  { path, before, after }: TextChange,
  { max, pause }: { readonly max: number; readonly pause: () => Promise<void> },
): Promise<string | undefined> {
  const joined = (lines: readonly string[]): string | undefined => {
    const part = lines.join('\n');
    return part.length > max ? undefined : part;
  };
  if (after === undefined) return joined([`*** Delete File: ${path}`]);
  if (before === undefined)
    return after.length > max ? undefined : joined([`*** Add File: ${path}`, ...signed('+', linesOf(after))]);
  const header = `*** Update File: ${path}`;
  if (before === after) return joined([header, '@@', ` ${before.split('\n', 1).join('').replace(/\r$/, '')}`]);
  const old = linesOf(before);
  await pause();
  const now = linesOf(after);
  await pause();
  const hunks = hunksOf(diffLines(old, now));
  if (hunks.reduce((length, line) => length + line.length + 1, 0) > max) return undefined;
  await pause();
  if (hunks.length > 1 && (await isClear(before, now, { header, hunks, pause }))) return joined([header, ...hunks]);
  // A hunk could also stand where its lines are found first: then the file is written out.
  if (before.length + after.length > max) return undefined;
  return joined([header, '@@', ...signed('-', old), ...signed('+', now), AT_END]);
}

/** Whether some hunks make the new lines of a file. */
async function isClear(
  before: string,
  now: readonly string[],
  {
    header,
    hunks,
    pause,
  }: { readonly header: string; readonly hunks: readonly string[]; readonly pause: () => Promise<void> },
): Promise<boolean> {
  const [patch] = readPatch([BEGIN, header, ...hunks, END].join('\n'));
  const made = (patch && attempt(() => linesAfter(before, patch))) ?? [];
  await pause();
  return made.length === now.length && made.every((line, at) => line === now[at]);
}

function signed(sign: '-' | '+', lines: readonly string[]): readonly string[] {
  return lines.map((line) => sign + line);
}

/** Whether a text has more lines than `max`. */
export function hasMoreLines(text: string, max: number): boolean {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    count += 1;
    if (count > max) return true;
  }
  return false;
}

/** The line breaks of a text. */
export function lineBreaksOf(text: string): LineBreaks {
  const breaks: [string, number][] = [];
  for (const { length, end } of linesWithEnds(text)) {
    const last = breaks.at(-1);
    const written = length === 0 && end === '' ? undefined : end;
    if (written === undefined) continue;
    if (last?.[0] === written) last[1] += 1;
    else breaks.push([written, 1]);
  }
  return breaks;
}

function linesWithEnds(text: string): readonly { readonly length: number; readonly end: string }[] {
  const lines = text.split('\n');
  return lines.map((line, at) => {
    const hasReturn = line.endsWith('\r');
    const isLast = at === lines.length - 1;
    return { length: line.length, end: `${hasReturn ? '\r' : ''}${isLast ? '' : '\n'}` };
  });
}

/** A text of lines and their breaks; undefined if there are not as many. */
export function withLineBreaks(lines: readonly string[], breaks: LineBreaks): string | undefined {
  const out: string[] = [];
  let at = 0;
  for (const [end, count] of breaks) {
    if (at + count > lines.length) return undefined;
    for (const stop = at + count; at < stop; at += 1) out.push(lines[at] ?? '', end);
  }
  return at === lines.length ? out.join('') : undefined;
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
      throw new KernelError(
        'TOOL_FAILED',
        `The lines that ${JSON.stringify(patch.path)} is to be changed at are not there any more.`,
      );
    for (; at < index; at += 1) out.push(lines[at] ?? '');
    for (const { sign, text } of hunk) if (sign !== '-') out.push(text);
    at = index + old.length;
  }
  for (; at < lines.length; at += 1) out.push(lines[at] ?? '');
  return out;
}

/** Lines as a text with the line breaks that another text has. */
export function withBreaksOf(before: string | undefined, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const ending = before?.includes('\r\n') === true ? '\r\n' : '\n';
  const hasEnd = before === undefined || before === '' || before.endsWith('\n');
  return lines.join(ending) + (hasEnd ? ending : '');
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
