import { sliceHead } from '@kernel/internal';
import { quote, toolError } from '../../workspace/errors.ts';
import { describeMismatch } from '../edit/find-alike.ts';
import { indexOfSequence, indexOfText } from '../edit/find-sequence.ts';
import { foldText } from '../../text/fold-text.ts';
import type { TextFile } from '../text-file.ts';
import type { Hunk } from './parse-patch.ts';

const COMPARISONS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => foldText(line).text.trim(),
];

/**
 * The text of a file after its hunks, applied in order, and how many of them matched only lines that look the same. Throws an error that names the hunk whose
 * context is not there.
 */
export function applyHunks(
  path: string,
  { ending, text }: TextFile,
  hunks: readonly Hunk[],
): { readonly text: string; readonly loose: number } {
  const raw = text.split('\n');
  const find = createFinder(raw.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)));
  const done: Line[] = [];
  // Every line but the last one ends with a line break, whose `\r` is a part of it here.
  const keep = (from: number, to: number): void => {
    for (const [index, line] of raw.slice(from, to).entries())
      done.push({ text: line, isLast: from + index === raw.length - 1 });
  };
  let at = 0;
  let loose = 0;
  for (const [index, hunk] of hunks.entries()) {
    const which = hunks.length === 1 ? 'The hunk' : `Hunk ${index + 1}`;
    const after = at === 0 ? '' : ` after line ${at}`;
    let from = at;
    for (const anchor of hunk.anchors) {
      const place = find([anchor], from, false);
      if (place === -1)
        throw toolError(`${which} of ${quote(path)}: there is no line ${quote(anchor)}${after}. Nothing was changed.`);
      from = place + 1;
    }
    const old = hunk.lines.filter(({ sign }) => sign !== '+').map(({ text: line }) => line);
    // An empty line at the end of a hunk is often only the space before the next one.
    const place = locate(find, old, from, hunk.isAtEnd);
    if (place === undefined)
      throw toolError(
        `${which} of ${quote(path)} does not fit: these lines are not in the file${after}:\n${shown(old)}\n${firstMissing(text, old)}Read the file and copy its lines. Nothing was changed.`,
      );
    if (!old.slice(0, old.length - place.dropped).every((line, offset) => isSameLine(line, raw[place.start + offset])))
      loose += 1;
    keep(at, place.start);
    let next = place.start;
    for (const { sign, text: line } of hunk.lines.slice(0, hunk.lines.length - place.dropped)) {
      if (sign === '+') done.push({ text: line, isLast: true });
      else {
        if (sign === ' ') keep(next, next + 1);
        next += 1;
      }
    }
    at = next;
  }
  keep(at, raw.length);
  const tail = ending === '\r\n' ? '\r' : '';
  const lines = done.map((line, index) => {
    if (index < done.length - 1) return line.isLast ? line.text + tail : line.text;
    return line.isLast ? line.text : line.text.replace(/\r$/, '');
  });
  return { text: lines.join('\n'), loose };
}

function isSameLine(line: string, other = ''): boolean {
  return line.trim() === other.trim();
}

interface Line {
  readonly text: string;
  /** Whether it has no ending of its own, because it is new or was the last one. */
  readonly isLast: boolean;
}

function locate(
  find: Finder,
  old: readonly string[],
  from: number,
  isAtEnd: boolean,
): { readonly start: number; readonly dropped: number } | undefined {
  const start = find(old, from, isAtEnd);
  if (start !== -1) return { start, dropped: 0 };
  if (old.at(-1) !== '') return undefined;
  const shorter = find(old.slice(0, -1), from, isAtEnd);
  return shorter === -1 ? undefined : { start: shorter, dropped: 1 };
}

/** Where lines stand from a place on: exactly, else but for white space at their ends, else but for white space around them; -1 if nowhere. */
type Finder = (wanted: readonly string[], from: number, isAtEnd: boolean) => number;

function createFinder(lines: readonly string[]): Finder {
  const compared = COMPARISONS.map((normal) => {
    let known: { readonly all: readonly string[]; readonly distinct: ReadonlySet<string> } | undefined;
    return {
      normal,
      lines: () => {
        if (known !== undefined) return known;
        const all = lines.map(normal);
        known = { all, distinct: new Set(all) };
        return known;
      },
    };
  });
  return (wanted, from, isAtEnd) => {
    if (wanted.length === 0) return isAtEnd ? endOf(lines) : from;
    for (const { lines: own, normal } of compared) {
      const sought = wanted.map(normal);
      const { all, distinct } = own();
      if (!sought.every((line) => distinct.has(line))) continue;
      // A file that ends with a line break has an empty line at its end, which a patch does not write.
      for (const start of isAtEnd ? [lines.length - sought.length, endOf(lines) - sought.length] : [])
        if (start >= from && sought.every((line, index) => all[start + index] === line)) return start;
      const start = indexOfSequence(all, sought, from);
      // What only looks the same must be there once.
      const isSure = normal !== COMPARISONS.at(-1) || indexOfSequence(all, sought, start + 1) === -1;
      if (start !== -1 && isSure) return start;
    }
    return -1;
  };
}

function endOf(lines: readonly string[]): number {
  return lines.at(-1) === '' ? lines.length - 1 : lines.length;
}

/** Says which of some lines is the first that is nowhere in a file, and where it differs from one that begins like it. */
function firstMissing(text: string, lines: readonly string[]): string {
  const folded = foldText(text);
  const missing = lines.find((line) => indexOfText(folded.text, foldText(line.trim()).text, 0) === -1);
  return missing === undefined
    ? ''
    : `${quote(missing)} is nowhere in it${describeMismatch(text, folded, missing.trim())}\n`;
}

function shown(lines: readonly string[]): string {
  const first = lines.slice(0, 6).map((line) => `  ${sliceHead(line, 120)}`);
  return [...first, ...(lines.length > 6 ? [`  … (${lines.length - 6} more)`] : [])].join('\n');
}
