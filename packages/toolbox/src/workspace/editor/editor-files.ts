/** How an operation is aborted. */
export interface AbortOptions {
  /** Aborts the operation. Files stay intact. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The files of an editor, in place of those on disk: a client of the Agent Client Protocol with `fs`, for example. Either method may be absent.
 *
 * The rules of the workspace apply first, to what is on disk: the editor is asked only for a file that the workspace would open. That is a text in UTF-8
 * without a byte order mark, of at most 4 MiB; all others are read and written on disk. Moves, removals, folders, lists and searches are those of the disk:
 * `search_text` finds what is saved. Every call has a time limit of 10 seconds, answers are checked, and what a write left is looked up.
 *
 * What the workspace cannot promise is what the editor does: it opens the path once more, and how whole a file is after a crash is up to it.
 */
export interface EditorFiles {
  /**
   * Returns the text that the editor shows, unsaved changes included, and that on disk of a file that is not open; undefined if the editor does not have
   * the file, such as one outside of its project: that one is read and written on disk. Rejects if it cannot tell; then nothing is read. `path` is absolute.
   */
  readText?(path: string, options: AbortOptions): Promise<string | undefined>;
  /** Writes a whole file through the editor, and saves it. The file exists. `path` is absolute. What was sent is waited for, also after an abort. */
  writeText?(path: string, text: string, options: AbortOptions): Promise<void>;
}
