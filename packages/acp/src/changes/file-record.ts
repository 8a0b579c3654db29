import { createHash } from 'node:crypto';
import type { LineBreaks } from './lines.ts';

/** What `apply_patch` takes of an agent; a call that a person has edited may lack all but the patch. */
export interface ChangesCall {
  readonly patch: string;
  /** The digest of `patch`. A patch that a person has edited no longer matches it. */
  readonly patchDigest?: string;
  readonly files?: readonly FileRecord[];
  /** What it does not bring back, in sentences that name it: those who decide are to know. */
  readonly skipped?: readonly string[];
}

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

/** Returns the digest of a content. */
export function digestOf(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

/** Writes permission bits: `755`. */
export function modeText(mode: number): string {
  return (mode & 0o777).toString(8).padStart(3, '0');
}
