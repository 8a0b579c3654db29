import { attempt } from '@kernel/internal';
import { type DiffPart, diffLines } from './line-diff.ts';
import { linesOf } from './lines.ts';
import { AT_END, BEGIN, END, linesAfter, readPatch } from './read-patch.ts';

/** A change of one text file: its text before, undefined for a new file, and after, undefined for one that is removed. The same text: its mode alone changes. */
export interface TextChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const CONTEXT = 3;

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
