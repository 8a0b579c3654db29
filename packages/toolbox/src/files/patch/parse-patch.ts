import { sliceHead } from '@kernel/internal';
import { quote, toolError } from '../../workspace/errors.ts';

/** What a patch does to one file. */
export type FilePatch =
  | { readonly type: 'add'; readonly path: string; readonly lines: readonly string[] }
  | { readonly type: 'delete'; readonly path: string }
  | { readonly type: 'update'; readonly path: string; readonly to?: string; readonly hunks: readonly Hunk[] };

/** One place of a file that a patch changes. */
export interface Hunk {
  /** The lines after `@@`, each of which is looked for before the next, to find the place. */
  readonly anchors: readonly string[];
  /** Its lines: those that stay, that are removed and that are added. */
  readonly lines: readonly {
    /** Whether it stays, is removed or is added. */
    readonly sign: ' ' | '-' | '+';
    /** The line without its sign. */
    readonly text: string;
  }[];
  /** Whether it reaches to the end of the file. */
  readonly isAtEnd: boolean;
}

const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MAX_LENGTH = 4_194_304;

/**
 * Reads a patch in the V4A form: `*** Begin Patch`, for each file `*** Add File:`, `*** Update File:` (with `*** Move
 * to:`) or `*** Delete File:`, `*** End Patch`. Throws an error that names the line. Windows line breaks are read as
 * others, unless the patch `isExact`: then a carriage return belongs to its line.
 */
export function parsePatch(text: string, isExact = false): readonly FilePatch[] {
  if (text.length > MAX_LENGTH) throw toolError('The patch is longer than 4 MiB.');
  const lines = (isExact ? text : text.replaceAll('\r\n', '\n').trim()).split('\n');
  const refuse = (index: number, problem: string): Error =>
    toolError(
      `Line ${index + 1} of the patch ${problem}: ${quote(sliceHead(lines[index] ?? '', 80))}. Nothing was changed.`,
    );
  if (lines[0]?.trimEnd() !== '*** Begin Patch') throw refuse(0, 'must be "*** Begin Patch"');
  if (lines.at(-1)?.trimEnd() !== '*** End Patch') throw refuse(lines.length - 1, 'must be "*** End Patch"');
  const patches: FilePatch[] = [];
  const end = lines.length - 1;
  for (let at = 1; at < end;) {
    const [, kind, name = ''] = HEADER.exec((lines[at] ?? '').trimEnd()) ?? [];
    if (kind === undefined) {
      if (lines[at]?.trim() !== '')
        throw refuse(at, 'must begin a file with "*** Add File:", "*** Update File:" or "*** Delete File:"');
      at += 1;
      continue;
    }
    const path = name.trim();
    if (patches.some((each) => each.path === path)) throw refuse(at, 'names a file for the second time');
    const start = at + 1;
    at = start;
    while (at < end && !HEADER.test((lines[at] ?? '').trimEnd())) at += 1;
    const body = lines.slice(start, at);
    if (kind === 'Delete') {
      if (body.some((line) => line.trim() !== ''))
        throw refuse(start, 'follows a "*** Delete File:", which has no lines');
      patches.push({ type: 'delete', path });
    } else if (kind === 'Add') {
      const wrong = body.findIndex((line) => !line.startsWith('+'));
      if (wrong !== -1 && body.slice(wrong).some((line) => line !== ''))
        throw refuse(start + wrong, 'of a new file must begin with "+"');
      patches.push({
        type: 'add',
        path,
        lines: body.filter((line) => line.startsWith('+')).map((line) => line.slice(1)),
      });
    } else patches.push(parseUpdate(path, body, (index, problem) => refuse(start + index, problem)));
  }
  if (patches.length === 0) throw toolError('The patch names no file. Nothing was changed.');
  return patches;
}

function parseUpdate(
  path: string,
  body: readonly string[],
  refuse: (index: number, problem: string) => Error,
): FilePatch {
  const [, to] = /^\*\*\* Move to: (.+)$/.exec((body[0] ?? '').trimEnd()) ?? [];
  const hunks: Hunk[] = [];
  let anchors: string[] = [];
  let lines: { sign: ' ' | '-' | '+'; text: string }[] = [];
  const close = (isAtEnd: boolean): void => {
    if (lines.length > 0) hunks.push({ anchors, lines, isAtEnd });
    if (lines.length > 0) anchors = [];
    lines = [];
  };
  for (let index = to === undefined ? 0 : 1; index < body.length; index += 1) {
    const line = body[index] ?? '';
    if (line.startsWith('@@')) {
      close(false);
      const anchor = line.slice(2).replace(/^ /, '').replace(/ @@$/, '');
      if (anchor.trim() !== '') anchors.push(anchor);
    } else if (line.trimEnd() === '*** End of File') close(true);
    else if (line === '') lines.push({ sign: ' ', text: '' });
    else if (line.startsWith(' ') || line.startsWith('-') || line.startsWith('+'))
      lines.push({ sign: line.startsWith(' ') ? ' ' : line.startsWith('-') ? '-' : '+', text: line.slice(1) });
    else throw refuse(index, 'must begin with " ", "-", "+" or "@@"');
  }
  close(false);
  if (hunks.length === 0 && to === undefined) throw refuse(0, `is where ${quote(path)} should have a hunk`);
  return { type: 'update', path, hunks, ...(to === undefined ? {} : { to: to.trim() }) };
}
