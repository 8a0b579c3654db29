import type { AbortOptions } from '../types.ts';

/**
 * The files of an editor, in place of those on disk: a client of the Agent Client Protocol with `fs`, for example. Either method may be absent.
 *
 * The rules of the workspace are applied first, to what is on disk: the editor is asked for a file only if the workspace would open it. What the editor
 * says is checked, and every call has a time limit.
 */
export interface EditorFiles {
  /**
   * Returns the text that the editor shows, unsaved changes included; of a file that is not open, that on disk. Rejects if it cannot. `path` is absolute.
   */
  readText?(path: string, options: AbortOptions): Promise<string>;
  /** Writes a whole file through the editor, and saves it; a file that does not exist is created. `path` is absolute, and its folder exists. */
  writeText?(path: string, text: string, options: AbortOptions): Promise<void>;
}
