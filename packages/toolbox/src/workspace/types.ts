import type { AbortOptions, EditorFiles } from './editor/editor-files.ts';

export type { AbortOptions };

/**
 * A folder tree that tools may use, with rules for each path. `createWorkspace` creates one on disk, `memoryWorkspace` one in memory, and
 * `overlayWorkspace` one that holds changes to another one until they are committed.
 *
 * Paths use `/`, are relative to the root, and may also be absolute paths below it; `.` is the root. `..` is resolved before links are. What a path
 * leads to is checked on the opened file, not on the name. Every method rejects with a `KernelError` (`TOOL_FAILED`) whose message is for the model:
 * the path leaves the workspace, its rules forbid it, it does not exist, or the system refused; or with `signal.reason` on an abort. `data.reason` of
 * the error is `missing` if there is nothing at the path.
 */
export interface Workspace {
  /** The absolute path of the folder on disk, without links; undefined if the files are not in a folder on disk. */
  readonly folder: string | undefined;
  /** Returns the path relative to the root, without `.` and `..`. Does not access files; throws if the path leaves the workspace or contains a NUL. */
  normalize(path: string): string;
  /** Whether the rules allow an access to a path by its name. Does not access files, and a link may lead to a path that has other rules. */
  allows(access: Access, path: string): boolean;
  /** Returns what is at a path; links are followed. */
  stat(path: string, options?: AbortOptions): Promise<FileInfo>;
  /** Reads a file, or a range of its bytes. */
  read(path: string, options?: ReadOptions): Promise<FileContent>;
  /**
   * Lists a folder, sorted by name in code units. Any folder that is not denied can be listed; names of files that may not be read are listed too,
   * but their content cannot be read.
   */
  list(path: string, options?: ListOptions): Promise<readonly DirectoryEntry[]>;
  /**
   * Writes a whole file; missing folders are created. At any moment, even after a crash, the path has the old content or the new one. A link is
   * followed, and the mode of a replaced file is kept. Resolves to the change, for `undo`.
   */
  write(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<Change>;
  /** Creates a folder and its parents. An existing folder is not an error. */
  makeDirectory(path: string, options?: AbortOptions): Promise<Change>;
  /** Moves a file or a folder with everything in it. A link itself is moved, not its target. Fails if `to` exists. */
  move(from: string, to: string, options?: AbortOptions): Promise<Change>;
  /** Removes a file, a link (not its target) or, with `recursive`, a folder with everything in it. The content is kept for `undo`. */
  remove(path: string, options?: RemoveOptions): Promise<Change>;
  /** Makes several edits, in order: all, or none if one fails. A crash in between leaves each file intact, and the change can be undone. */
  apply(edits: readonly Edit[], options?: AbortOptions): Promise<Change>;
  /** The changes that `undo` can revert, oldest first. */
  undoable(): readonly Change[];
  /**
   * Reverts the last change, or the one with this `id`, or all changes after the one with the id `since` (`since: ''`: all). Resolves to the reverted
   * changes, newest first. Rejects without changing anything if a file has changed since.
   */
  undo(options?: UndoOptions): Promise<readonly Change[]>;
  /** Ends the run: discards what was kept for `undo`. The workspace can still be used. */
  close(): Promise<void>;
}

/** What a caller wants to do with a path. */
export type Access = 'read' | 'write';

/** What is at a path. */
export interface FileInfo {
  /** The path relative to the root, after links were followed. */
  readonly path: string;
  /** What it is. `other` is a device, a pipe or a socket. */
  readonly type: FileType;
  /** The size of a file, in bytes; 0 for anything else. */
  readonly size: number;
  /** When the content last changed, in milliseconds since 1970. */
  readonly modifiedMs: number;
  /** The permission bits of a file or folder, such as 0o644. */
  readonly mode: number;
  /**
   * Changes when the file is replaced or modified: on disk it consists of device, inode, size and time, which some file systems store only to a few
   * milliseconds. Opaque.
   */
  readonly version: string;
}

/** What an entry of a folder is. `other` is a device, a pipe or a socket. */
export type FileType = 'file' | 'directory' | 'link' | 'other';

/** The bytes of a file, and the file that they came from. */
export interface FileContent extends FileInfo {
  /** The bytes of the range. */
  readonly bytes: Uint8Array;
}

/** One entry of a folder. */
export interface DirectoryEntry {
  /** Its name, without the folder. */
  readonly name: string;
  /** What it is; a link is not followed. */
  readonly type: FileType;
  /** The size of a file, in bytes; only with `sizes`, and absent if the file has disappeared. */
  readonly size?: number;
}

/** Options of `read`. */
export interface ReadOptions extends AbortOptions {
  /** The first byte, from 0. Default 0. */
  readonly start?: number | undefined;
  /** The maximum number of bytes; fewer at the end of the file. Default: the whole file; one beyond `maxBytes` is refused. */
  readonly length?: number | undefined;
  /** The largest file or range that is read, in bytes. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
}

/** Options of `list`. */
export interface ListOptions extends AbortOptions {
  /** Whether entries include file sizes. Default false. */
  readonly sizes?: boolean | undefined;
}

/** Options of `write`. */
export interface WriteOptions extends AbortOptions {
  /** The `version` to replace; any other fails. `absent`: the file must not exist yet. Default: whatever exists is replaced. */
  readonly ifVersion?: string | undefined;
  /** The permission bits. Default: those of the replaced file, or the system's default for a new one. */
  readonly mode?: number | undefined;
}

/** Options of `remove`. */
export interface RemoveOptions extends AbortOptions {
  /** Whether a folder is removed with everything in it. Default false: only an empty one. */
  readonly recursive?: boolean | undefined;
}

/** Options of `undo`. */
export interface UndoOptions extends AbortOptions {
  /** The only change to revert. */
  readonly id?: string | undefined;
  /** Reverts everything after the change with this id; `''` is the beginning. */
  readonly since?: string | undefined;
}

/** One edit of `apply`. */
export type Edit =
  | {
      /** Writes a whole file. */
      readonly type: 'write';
      /** The file, relative to the root. It is created if it does not exist. */
      readonly path: string;
      /** All of its new content. A string is written as UTF-8. */
      readonly content: string | Uint8Array;
      /** As in `write`. */
      readonly ifVersion?: string | undefined;
      /** As in `write`. */
      readonly mode?: number | undefined;
    }
  /** Creates a folder, and those above it that do not exist. */
  | { readonly type: 'makeDirectory'; readonly path: string }
  /** Moves a file or folder. */
  | { readonly type: 'move'; readonly from: string; readonly to: string }
  /** Removes a file; a folder that is not empty only with `recursive`. */
  | { readonly type: 'remove'; readonly path: string; readonly recursive?: boolean | undefined };

/** A change, as one step for `undo`. */
export interface Change {
  /** Identifies the change in this workspace. Ids sort in the order of the changes. */
  readonly id: string;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  /** What happened to each path, in order. */
  readonly paths: readonly ChangedPath[];
}

/** What a change did to one path. */
export interface ChangedPath {
  /** The path, relative to the root. */
  readonly path: string;
  /** What happened. `moved` is from `path` to `to`. */
  readonly what: 'created' | 'changed' | 'removed' | 'moved' | 'directory-made' | 'directory-removed';
  /** Where it was moved. */
  readonly to?: string;
}

/** An overlay: the same workspace, with changes that its base does not have yet. */
export interface OverlayWorkspace extends Workspace {
  /** The paths whose content, presence or kind differs from the base, sorted. */
  changes(): readonly ChangedPath[];
  /** Writes the changes to the base, each file atomically. Paths that have changed in the base meanwhile are left as they are, and stay in the overlay. */
  commit(options?: AbortOptions): Promise<CommitResult>;
  /** Discards the changes. */
  discard(): void;
}

/** What `commit` did. */
export interface CommitResult {
  /** The paths that were written to the base. */
  readonly committed: readonly string[];
  /** The paths that were not. */
  readonly conflicts: readonly {
    /** The path, relative to the root. */
    readonly path: string;
    /** Why it was not written. */
    readonly reason: string;
  }[];
}

/** Which paths tools may use. Ordered globs; see `createWorkspace`. */
export interface WorkspaceRules {
  /** What may be read. Default `['**']`. */
  readonly read?: readonly string[] | undefined;
  /** What may be written, moved or removed. Default: nothing. */
  readonly write?: readonly string[] | undefined;
  /** What may be neither read nor written, whatever `read` and `write` say. Default: nothing but credentials. */
  readonly deny?: readonly string[] | undefined;
  /** Whether files that usually hold credentials are denied too. Default true. */
  readonly denyCredentials?: boolean | undefined;
}

/** Options of `createWorkspace`. */
export interface WorkspaceOptions extends WorkspaceRules {
  /** The folder. */
  readonly root: string;
  /** Where replaced content is kept for `undo`. */
  readonly state?: StateOptions | undefined;
  /**
   * What happens with a file that has several names (hard links), since another name may be a key outside the workspace. `refuse` opens no such file,
   * except for reading below a `node_modules`, where package managers link every file to their store; `read` reads all of them. Neither writes one, and
   * neither reads what is another name of a file with credentials (of the home folder, the system or the workspace) or begins as a private key, unless
   * `denyCredentials` is false and this is `read`. Default `refuse`.
   */
  readonly hardLinks?: 'refuse' | 'read' | undefined;
  /** The files that an editor has open, in place of those on disk. Default: none. */
  readonly editor?: EditorFiles | undefined;
}

/** Where and how much a workspace keeps for `undo`. */
export interface StateOptions {
  /**
   * The folder for it, outside of what `write` allows. If it has the changes of a run that ended without `close`, they can be undone. Default: a new
   * one in the user's state folder, created at the first change and removed by `close`.
   */
  readonly folder?: string | undefined;
  /** How many bytes are kept; the oldest changes are dropped first, and a change that replaces or removes more than that fails. Default 256 MiB. */
  readonly maxBytes?: number | undefined;
}
