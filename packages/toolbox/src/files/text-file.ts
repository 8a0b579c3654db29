import { toolError, quote } from '../workspace/errors.ts';
import type { FileInfo, Workspace } from '../workspace/index.ts';
import { isBinary } from './is-binary.ts';

/** The largest file that is edited, in bytes. */
export const MAX_EDITED_BYTES = 32 * 1024 * 1024;

/** A text file as the edit tools see it. */
export interface TextFile {
  /** What was read. */
  readonly info: FileInfo;
  /** The text, without a byte order mark, its line endings as they are. */
  readonly text: string;
  /** Whether it begins with a byte order mark. */
  readonly hasBom: boolean;
  /** The line ending that most lines have. */
  readonly ending: '\n' | '\r\n';
}

/** Reads a text file to edit it. Throws for one that is binary, too large or not UTF-8: writing it back would lose bytes. */
export async function readTextFile(workspace: Workspace, path: string, signal: AbortSignal): Promise<TextFile> {
  const { bytes, ...info } = await workspace.read(path, { maxBytes: MAX_EDITED_BYTES, signal });
  if (isBinary(bytes)) throw toolError(`${quote(path)} is a binary file (${info.size} bytes), not text.`);
  try {
    const whole = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const hasBom = whole.startsWith('\uFEFF');
    const text = hasBom ? whole.slice(1) : whole;
    return { info, text, hasBom, ending: endingOf(text) };
  } catch {
    throw toolError(`${quote(path)} is not UTF-8 text; editing it would damage it.`);
  }
}

/** The content to write for an edited text. */
export function toContent({ hasBom }: Pick<TextFile, 'hasBom'>, text: string): string {
  return hasBom ? `\uFEFF${text}` : text;
}

function endingOf(text: string): '\n' | '\r\n' {
  const first = text.indexOf('\n');
  if (first === -1) return '\n';
  // The first lines decide: a file that mixes endings is edited line by line anyway.
  const head = text.slice(0, 65_536);
  const windows = head.split('\r\n').length - 1;
  return windows * 2 > head.split('\n').length - 1 ? '\r\n' : '\n';
}
