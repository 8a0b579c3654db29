import type { AbortOptions, Access, DirectoryEntry, FileContent, FileInfo, ListOptions } from './types.ts';

/**
 * What a workspace is built on: single steps on files, each checked against the rules for what it really touches. Paths are normalized; errors are
 * those of the model. A missing file is `undefined` where it says so, otherwise an error.
 */
export interface Storage {
  readonly folder: string | undefined;
  normalize(path: string): string;
  allows(access: Access, path: string): boolean;
  check(access: Access, path: string): void;
  /** What is at a path, or undefined. With `entry`, a link is not followed, and the rules for writing count. */
  find(path: string, options?: { readonly entry?: boolean }): Promise<FileInfo | undefined>;
  read(path: string, range: Range): Promise<FileContent>;
  /** The entries of a folder, in no particular order. */
  list(path: string, options: ListOptions): Promise<readonly DirectoryEntry[]>;
  /** Writes a file whole. Its folder exists. `before` is what is there now, as `find` told it; anything else there is an error. */
  replace(path: string, bytes: Uint8Array, options: ReplaceOptions): Promise<FileInfo>;
  /** Makes one folder; the one above exists. `holds` is the path in it that it is made for, whose rules count. */
  makeFolder(path: string, options?: { readonly holds?: string; readonly mode?: number }): Promise<void>;
  removeFile(path: string): Promise<void>;
  removeFolder(path: string): Promise<void>;
  /** Moves what is there; nothing is at `to`, and its folder exists. */
  rename(from: string, to: string): Promise<void>;
  readLink(path: string): Promise<string>;
  makeLink(path: string, target: string): Promise<void>;
}

export interface Range extends AbortOptions {
  /** The rules that count: those for writing where the content is kept before it is replaced. */
  readonly access: Access;
  readonly start: number;
  readonly length: number | undefined;
  readonly maxBytes: number;
}

export interface ReplaceOptions extends AbortOptions {
  readonly before: FileInfo | undefined;
  readonly mode?: number | undefined;
  /** Gets the version of the new file right before it takes its place, so that a journal knows it even after a crash. */
  readonly onVersion?: ((version: string) => void) | undefined;
}
