import { untilAborted } from '@kernel/internal';
import { withTimeout } from '../../with-timeout.ts';
import { editorReason, quote, toolError } from '../errors.ts';
import type { EditorFiles } from './editor-files.ts';

/** The largest file that is read and written through an editor, in bytes. */
export const MAX_EDITOR_BYTES = 4 * 1024 * 1024;
const MAX_MS = 10_000;

/** A file as the editor knows it, and as the model does. */
export interface EditorFile {
  readonly absolute: string;
  readonly path: string;
}

/** Asks an editor for the text of a file. Resolves to undefined if the editor does not have it. */
export async function readFromEditor(
  editor: EditorFiles,
  file: EditorFile,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const work = async (own: AbortSignal): Promise<unknown> => editor.readText?.(file.absolute, { signal: own });
  const text = await limited(file, 'read', (own) => untilAborted(work(own), signal), signal);
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !text.isWellFormed())
    throw toolError(`The editor could not read ${quote(file.path)}: its answer is not a text.`);
  if (Buffer.byteLength(text) > MAX_EDITOR_BYTES)
    throw toolError(
      `The editor shows more than ${MAX_EDITOR_BYTES} bytes for ${quote(file.path)}, which is the limit. Ask the user to save it and close it there.`,
    );
  return text;
}

/** Writes a file through an editor. What was sent cannot be taken back, so an abort does not end the wait; the time limit does. */
export async function writeToEditor(editor: EditorFiles, file: EditorFile, text: string): Promise<void> {
  await limited(file, 'write', async (signal) => editor.writeText?.(file.absolute, text, { signal }));
}

async function limited<T>(
  { path }: EditorFile,
  what: 'read' | 'write',
  work: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  const late = (): Error =>
    toolError(
      `The editor did not answer within ${MAX_MS} ms when asked to ${what} ${quote(path)}.${what === 'write' ? ' It may still write it.' : ''}`,
    );
  const ended = new AbortController();
  try {
    const signal = outer === undefined ? ended.signal : AbortSignal.any([outer, ended.signal]);
    return await withTimeout(
      work(signal).catch((error: unknown) => {
        outer?.throwIfAborted();
        throw toolError(`The editor could not ${what} ${quote(path)}: ${editorReason(error)}.`, error);
      }),
      MAX_MS,
      late,
    );
  } finally {
    ended.abort();
  }
}
