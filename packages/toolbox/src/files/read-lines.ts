import { sliceHead } from '@kernel/internal';
import { createFormatDecoder, type TextFormat } from '../text/encoding.ts';
import type { Workspace } from '../workspace/index.ts';
import { formatNote } from './text-file.ts';

const CHUNK = 1_048_576;

interface Lines {
  readonly path: string;
  readonly size: number;
  readonly format: TextFormat;
  readonly offset?: number | undefined;
  readonly column?: number | undefined;
  readonly limit?: number | undefined;
  readonly numbered?: boolean | undefined;
  readonly maxLength: number;
  readonly signal: AbortSignal;
}

export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Text of a file as it was decoded, and a sentence in brackets about what is not shown, or not as it is stored. */
export function withNote(text: string, format: TextFormat, part = '', next?: TextPosition): string {
  const notes = [part, next === undefined ? '' : continueAt(next), formatNote(format, text)].filter(Boolean).join('; ');
  return notes === '' ? text : `${text.toWellFormed()}\n… (${notes})`;
}

/** What each note says at least one of. */
const SAID_IN_NOTES = ['continue with offset ', '; edit_file and write_file keep that', '; edit_file keeps what it '];

/** The note of `withNote` at the end of a text, which a model may copy with what it read; undefined if there is none. */
export function noteAtEnd(text: string): string | undefined {
  const end = text.trimEnd();
  const line = end.slice(end.lastIndexOf('\n') + 1);
  const isNote = line.startsWith('… (') && line.endsWith(')') && SAID_IN_NOTES.some((said) => line.includes(said));
  return isNote ? line : undefined;
}

/** Lines of a text file, read in pieces, and a note on what follows them. Of a line that is too long, the part that begins at `column`. */
export async function readLines(workspace: Workspace, lines: Lines): Promise<string> {
  const { column = 1, format, limit = Infinity, maxLength, numbered = false, offset = 1 } = lines;
  const kept: string[] = [];
  const last = offset + limit - 1;
  let number = 1;
  let length = 0;
  let skipped = 0;
  let line = '';
  let isBegun = false;
  /** Takes the line that has ended; false once nothing more is wanted. */
  const take = (): boolean => {
    number += 1;
    isBegun = false;
    if (number <= offset) return true;
    const shown = numbered ? `${number - 1}\t${line}` : line;
    length += shown.length + 1;
    if (number - 1 > last || length > maxLength + 1) return false;
    kept.push(shown);
    line = '';
    return true;
  };
  const add = (part: string): void => {
    isBegun ||= part !== '';
    if (number < offset) return;
    const toSkip = number === offset ? Math.min(column - 1 - skipped, part.length) : 0;
    skipped += toSkip;
    // A column within a surrogate pair begins behind it.
    const start = toSkip > 0 && (part.codePointAt(toSkip - 1) ?? 0) > 0xffff ? toSkip + 1 : toSkip;
    // One more than can be shown, so that it is seen to be too long.
    const end = start + maxLength + 1;
    if (line.length <= maxLength) line += part.slice(start, end);
  };
  const isBeyond = (): boolean => number > offset && skipped < column - 1;
  const beyond = (): string => `(Line ${offset} has ${skipped} characters: there is no column ${column}.)`;
  const more = (): string => {
    if (isBeyond()) return beyond();
    const next = number - 1;
    if (kept.length > 0) return withNote(kept.join('\n'), format, 'more', { line: next, column: 1 });
    const head = sliceHead(line, maxLength);
    const shown = numbered ? `${next}\t${head}` : head;
    return withNote(shown, format, `a part of line ${next}`, { line: next, column: column + head.length });
  };
  for await (const piece of pieces(workspace, lines)) {
    const [first = '', ...others] = piece.split('\n');
    add(first);
    for (const part of others) {
      if (!take()) return more();
      add(part);
    }
    if (number === last + 1 && isBegun) break;
  }
  if (isBegun && !take()) return more();
  if (isBeyond()) return beyond();
  if (kept.length > 0) return withNote(kept.join('\n'), format);
  return `(There is no line ${offset}: the file has ${number - 1}.)`;
}

export async function* pieces(
  workspace: Workspace,
  { format, path, signal, size }: Pick<Lines, 'format' | 'path' | 'signal' | 'size'>,
): AsyncGenerator<string> {
  const decoder = createFormatDecoder(format);
  for (let start = format.bomLength; start < size; start += CHUNK)
    yield decoder.write((await workspace.read(path, { start, length: CHUNK, signal })).bytes);
  yield decoder.end();
}

function continueAt({ column, line }: TextPosition): string {
  return `continue with offset ${line}${column === 1 ? '' : `, column ${column}`}`;
}
