import { attempt } from '@kernel/internal';
import { linesOf } from './lines.ts';
import { AT_END, joinPatch, linesAfter, readPatch } from './read-patch.ts';

/** A change of one text file: its text before, undefined for a new file, and after, undefined for one that is removed. The same text: its mode alone changes. */
interface TextChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A run of lines that both texts have, or that one of them has. */
interface DiffPart {
  readonly sign: ' ' | '-' | '+';
  readonly lines: readonly string[];
}

const CONTEXT = 3;
/** The most lines that are told apart one by one; beyond it, what differs is one block. */
const MAX_EDITS = 1000;
/** How many comparisons of lines a diff may take. */
const MAX_WORK = 20_000_000;

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
  // The form asks for a line where the mode alone changes.
  if (before === after) return joined([header, '@@', ` ${linesOf(before)[0] ?? ''}`]);
  const old = linesOf(before);
  await pause();
  const now = linesOf(after);
  await pause();
  const hunks = hunksOf(await diffLines(old, now));
  if (hunks.reduce((length, line) => length + line.length + 1, 0) > max) return undefined;
  await pause();
  const part = [header, ...hunks].join('\n');
  const [patch] = hunks.length > 1 ? readPatch(joinPatch([part])) : [];
  const made = patch && attempt(() => linesAfter(before, patch));
  await pause();
  if (made?.length === now.length && made.every((line, at) => line === now[at])) return joined([part]);
  // A hunk could also stand where its lines are found first: then the file is written out.
  if (before.length + after.length > max) return undefined;
  return joined([header, '@@', ...signed('-', old), ...signed('+', now), AT_END]);
}

/** Finds the lines that make one list of another, as few as possible. */
async function diffLines(before: readonly string[], after: readonly string[]): Promise<readonly DiffPart[]> {
  const { diffArrays } = await import('diff');
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end))
    end += 1;
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  const maxEditLength = Math.min(MAX_EDITS, Math.ceil(MAX_WORK / (old.length + now.length + 1)));
  const middle: readonly DiffPart[] = diffArrays(old, now, { maxEditLength })?.map(({ added, removed, value }) => ({
    sign: added ? '+' : removed ? '-' : ' ',
    lines: value,
  })) ?? [
    { sign: '-', lines: old },
    { sign: '+', lines: now },
  ];
  const parts: readonly DiffPart[] = [
    { sign: ' ', lines: before.slice(0, start) },
    ...middle,
    { sign: ' ', lines: before.slice(before.length - end) },
  ];
  return parts.filter(({ lines }) => lines.length > 0);
}

function signed(sign: DiffPart['sign'], lines: readonly string[]): readonly string[] {
  return lines.map((line) => sign + line);
}

/** Writes the hunks of a diff, with some lines of context around what differs. */
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
    out.push(...signed(' ', head));
    if (!isLast && (isFirst || rest.length > tail.length)) out.push('@@');
    out.push(...signed(' ', tail));
    if (isLast && rest.length === 0 && !isFirst) out.push(AT_END);
  }
  if (parts.at(-1)?.sign !== ' ') out.push(AT_END);
  return out;
}
