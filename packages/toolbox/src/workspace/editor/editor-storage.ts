import { sha256Hex } from '@kernel/internal';
import { join } from 'node:path';
import { quote, toolError } from '../errors.ts';
import type { ReplaceOptions, Storage } from '../storage.ts';
import type { Access, FileContent, FileInfo } from '../types.ts';
import { MAX_EDITOR_BYTES, readFromEditor, writeToEditor } from './ask-editor.ts';
import type { EditorFiles } from './editor-files.ts';
import { crlfToLf, hidesCarriageReturns, plainText, withSavedEndings } from './editor-text.ts';
import { readInScope, readsDisk } from './read-scopes.ts';

/** A text file on disk. */
interface Saved {
  readonly content: FileContent;
  readonly text: string;
}

/** A text file as the editor shows it. */
interface Shown {
  readonly content: FileContent;
  readonly isUnsaved: boolean;
  readonly hidesReturns: boolean;
}

/**
 * The files of an editor over those on disk. A file is opened on disk first, which applies every rule; the editor is asked for a text in UTF-8 without a byte
 * order mark, of bounded size. All others stay on disk, and so do files that the editor does not have. `root` is the folder as the editor knows it.
 */
export function editorStorage(disk: Storage, editor: EditorFiles, root: string): Storage {
  const fileAt = (path: string) => ({ path, absolute: join(root, path) });
  const asks = (): boolean => editor.readText !== undefined && !readsDisk();

  const savedAt = async (path: string, access: Access, signal?: AbortSignal): Promise<Saved | undefined> => {
    const { size } = await disk.read(path, { access, start: 0, length: 0, maxBytes: 0, signal });
    if (size > MAX_EDITOR_BYTES) return undefined;
    const range = { access, start: 0, length: undefined, maxBytes: MAX_EDITOR_BYTES, signal };
    const content = await disk.read(path, range);
    const text = plainText(content.bytes);
    return text === undefined ? undefined : { content, text };
  };

  const shownOf = async (saved: Saved | undefined, signal?: AbortSignal): Promise<Shown | undefined> => {
    if (saved === undefined) return undefined;
    const { content } = saved;
    const file = fileAt(content.path);
    const text = await readInScope(file.absolute, () => readFromEditor(editor, file, signal));
    if (text === undefined) return undefined;
    const hidesReturns = hidesCarriageReturns(saved.text, text);
    const whole = withSavedEndings(saved.text, text);
    if (whole === saved.text) return { content, isUnsaved: false, hidesReturns };
    const bytes = Buffer.from(whole);
    const version = `${content.version}~${sha256Hex(whole).slice(0, 32)}`;
    return { content: { ...content, bytes, size: bytes.length, version }, isUnsaved: true, hidesReturns };
  };

  const shownAt = async (path: string, access: Access, signal?: AbortSignal): Promise<Shown | undefined> =>
    asks() ? shownOf(await savedAt(path, access, signal), signal) : undefined;

  /** Writes to a text file that exists through the editor, and finds out what came of it: an answer is not taken for the truth. */
  const write = async (before: FileInfo, bytes: Uint8Array, sent: string, options: ReplaceOptions) => {
    const { mode, onVersion } = options;
    const { path } = before;
    const failure = await failureOf(writeToEditor(editor, fileAt(path), sent));
    const refuse = (problem: string): unknown =>
      failure?.error ?? toolError(`The editor answered that it wrote ${quote(path)}, but ${problem}.`);
    const saved = await savedAt(path, 'write').catch(() => undefined);
    if (saved === undefined) {
      const there = await disk.find(path);
      if (there !== undefined && there.version !== before.version) onVersion?.(there.version);
      throw refuse(there === undefined ? 'there is no such file' : 'it is not the text that was sent');
    }
    // The line endings and the mode are those that were asked for, whatever the editor saves with.
    const isAlike = crlfToLf(saved.text) === crlfToLf(textOf(bytes));
    const wanted = isAlike ? bytes : saved.content.bytes;
    const hasMode = mode === undefined || saved.content.mode === mode;
    if (!hasMode || !isSame(wanted, saved.content.bytes))
      await disk.replace(path, wanted, { before: saved.content, mode, onVersion });
    const onDisk = { ...((await disk.find(path)) ?? saved.content), bytes: wanted };
    const shown = await shownAt(path, 'write').catch((error: unknown) => {
      // What is on disk says enough, unless it is what was there before.
      if (onDisk.version === before.version) throw failure?.error ?? error;
    });
    const { bytes: now, ...after } = shown?.content ?? onDisk;
    const isWritten = isSame(now, bytes);
    if (!isWritten && after.version === before.version) throw refuse('nothing has changed');
    onVersion?.(after.version);
    // Something else was written: the journal knows it by its version, and brings back what was there.
    if (!isWritten && failure !== undefined) throw failure.error;
    return after;
  };

  const create = async (path: string, bytes: Uint8Array, text: string, options: ReplaceOptions): Promise<FileInfo> => {
    // An empty file first: so it is made by the rules, with its mode, and the editor finds one that exists.
    const made = await disk.replace(path, new Uint8Array(), options);
    if (bytes.length === 0) return made;
    try {
      const isElsewhere = asks() && (await shownAt(made.path, 'write')) === undefined;
      return isElsewhere
        ? await disk.replace(path, bytes, { ...options, before: made })
        : await write(made, bytes, text, options);
    } catch (error) {
      const there = await disk.find(path, { entry: true });
      if (there?.version === made.version) await disk.removeFile(path);
      throw error;
    }
  };

  return {
    ...disk,
    find: async (path, options) => {
      const info = await disk.find(path, options);
      if (info?.type !== 'file' || !asks()) return info;
      const access = (['read', 'write'] as const).find((each) => disk.allows(each, info.path));
      // What may not be opened is what it is on disk.
      const saved = access === undefined ? undefined : await savedAt(info.path, access).catch(() => undefined);
      const shown = await shownOf(saved);
      if (shown === undefined) return info;
      const { bytes: _bytes, ...own } = shown.content;
      return own;
    },
    read: async (path, range) => {
      const shown = await shownAt(path, range.access, range.signal);
      if (shown?.isUnsaved !== true) return disk.read(path, range);
      const { start, length = Infinity, maxBytes } = range;
      const { bytes, size } = shown.content;
      const part = bytes.subarray(start, start + length);
      if (part.length > maxBytes)
        throw toolError(`${quote(path)} has ${size} bytes; at most ${maxBytes} are read at once. Read a range.`);
      return { ...shown.content, bytes: part };
    },
    replace: async (path, bytes, options) => {
      const { before, signal } = options;
      const text = editor.writeText === undefined || bytes.length > MAX_EDITOR_BYTES ? undefined : plainText(bytes);
      if (before?.type !== 'file')
        return text === undefined ? disk.replace(path, bytes, options) : create(path, bytes, text, options);
      const there = await disk.find(path);
      const shown = await shownAt(path, 'write', signal);
      if ((shown?.content.version ?? there?.version) !== before.version)
        throw toolError(`${quote(path)} changed while it was being written; nothing was written. Read it again.`);
      const isInEditor = shown !== undefined || editor.readText === undefined;
      if (there !== undefined && text !== undefined && isInEditor) {
        // The checks for writing: of the file that is there.
        await disk.read(path, { access: 'write', start: 0, length: 0, maxBytes: 0, signal });
        signal?.throwIfAborted();
        const sent = shown?.hidesReturns === true ? crlfToLf(text) : text;
        return write(before, bytes, sent, { ...options, mode: options.mode ?? before.mode });
      }
      if (shown?.isUnsaved === true)
        throw toolError(
          `${quote(path)} has unsaved changes in the editor, which does not take the new content; nothing was written. Ask the user to save it there first.`,
        );
      return disk.replace(path, bytes, { ...options, before: there });
    },
  };
}

async function failureOf(work: Promise<void>): Promise<{ readonly error: unknown } | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return { error };
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
