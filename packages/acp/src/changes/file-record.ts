import { createHash } from 'node:crypto';
import { isObject } from '@kernel/internal';
import { type LineBreaks, lineBreaksOf, withBreaksOf, withLineBreaks } from './lines.ts';

/**
 * What a patch does not say of one file: the state that its part was made for, and the one that it makes. It goes with the call, so that a decision that comes
 * later holds for what it was about.
 */
export interface FileRecord {
  readonly path: string;
  /** The digest of the content that is changed; absent for a new file. */
  readonly before?: string;
  /** The digest of the new content; absent for a file that is removed. */
  readonly after?: string;
  /** The permission bits that are changed, such as `644`; absent for a new file. */
  readonly mode?: string;
  /** The new permission bits, if they are others. */
  readonly newMode?: string;
  /** The line breaks of the new content, if they are not what the patch alone makes. */
  readonly lineBreaks?: LineBreaks;
}

/** The digest of a content. */
export function digestOf(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

/** Permission bits as they are written: `755`. */
export function modeText(mode: number): string {
  return (mode & 0o777).toString(8).padStart(3, '0');
}

/** The line breaks of a new content, if its lines with those of the old one make another; undefined if they do not make it either. */
export function lineBreaksBeyond(
  before: string | undefined,
  after: string,
  lines: readonly string[],
): { readonly lineBreaks?: LineBreaks } | undefined {
  if (withBreaksOf(before, lines) === after) return {};
  const lineBreaks = lineBreaksOf(after);
  return withLineBreaks(lines, lineBreaks) === after ? { lineBreaks } : undefined;
}

/** Reads the records of a call, by path. Invalid records are left out. */
export function readRecords(value: unknown): ReadonlyMap<string, FileRecord> {
  const records = new Map<string, FileRecord>();
  for (const each of Array.isArray(value) ? (value as readonly unknown[]) : []) {
    if (!isObject(each)) continue;
    const { path, before, after, mode, newMode, lineBreaks }: Readonly<Record<string, unknown>> = each;
    if (typeof path !== 'string') continue;
    records.set(path, {
      path,
      ...(typeof before === 'string' && { before }),
      ...(typeof after === 'string' && { after }),
      ...(isMode(mode) && { mode }),
      ...(isMode(newMode) && { newMode }),
      ...(isLineBreaks(lineBreaks) && { lineBreaks }),
    });
  }
  return records;
}

function isMode(value: unknown): value is string {
  return typeof value === 'string' && /^[0-7]{3}$/.test(value);
}

function isLineBreaks(value: unknown): value is LineBreaks {
  return (
    Array.isArray(value) &&
    value.every(
      (each: unknown) =>
        Array.isArray(each) && typeof each[0] === 'string' && /^\r?\n?$/.test(each[0]) && Number.isSafeInteger(each[1]),
    )
  );
}
