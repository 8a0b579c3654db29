import { sliceHead, visibleLine } from '@kernel/internal';
import { quote, toolError } from '../workspace/errors.ts';
import type { FileInfo, Workspace } from '../workspace/index.ts';
import {
  countBroken,
  decodeText,
  detectFormat,
  encodeText,
  missingCharacter,
  type TextFormat,
} from '../text/encoding.ts';
import { count } from './describe.ts';

export const MAX_EDITED_BYTES = 32 * 1024 * 1024;

export interface TextFile {
  readonly info: FileInfo;
  /** The text, without a byte order mark, its line endings as they are. What is no character in it is kept as half a surrogate pair. */
  readonly text: string;
  readonly format: TextFormat;
  readonly ending: '\n' | '\r\n';
}

export async function readTextFile(workspace: Workspace, path: string, signal: AbortSignal): Promise<TextFile> {
  const { bytes, ...info } = await workspace.read(path, { maxBytes: MAX_EDITED_BYTES, signal });
  const found = detectFormat(bytes);
  if (found === undefined) throw toolError(`${quote(path)} is a binary file (${info.size} bytes), not text.`);
  const format = { ...found, isCut: found.encoding.startsWith('utf-16') && bytes.length % 2 === 1 };
  const text = decodeText(bytes, format);
  return { info, text, format, ending: endingOf(text) };
}

/**
 * Decodes the bytes of a file as the file tools do: UTF-8, UTF-16 with or without a byte order mark, else Windows-1252, without the mark. A byte that is no
 * character is U+FFFD. Returns `undefined` for bytes that are not text.
 */
export function decodeFile(bytes: Uint8Array): string | undefined {
  const format = detectFormat(bytes);
  return format === undefined ? undefined : decodeText(bytes, format).toWellFormed();
}

/** The content to write for an edited text, stored as it was. Throws if the file's encoding does not have one of its characters. */
export function toContent(path: string, format: TextFormat, text: string): string | Uint8Array {
  const missing = missingCharacter(text, format);
  if (missing === undefined) return encodeText(text, format);
  throw toolError(
    `${quote(path)} is stored as Windows-1252, which does not have ${describeCharacter(missing)}. Nothing was changed. Write it without that character, or delete the file first, so that a new one is UTF-8.`,
  );
}

/** Refuses a text with U+FFFD for one that was shown with it in the place of bytes that are no characters: they would be lost. */
export function checkLoss(path: string, before: string, after: string): void {
  const broken = countBroken(before);
  if (broken <= countBroken(after) || countOf('\uFFFD', after) <= countOf('\uFFFD', before)) return;
  throw toolError(
    `${quote(path)} has ${count(broken, 'byte')} that ${broken === 1 ? 'is not a valid character' : 'are not valid characters'}, and the content has U+FFFD in their place: they would be lost. Nothing was changed. Use edit_file, which keeps what it does not replace, or write the correct characters.`,
  );
}

function countOf(character: string, text: string): number {
  return text.split(character).length - 1;
}

/** What a model has to know of how a text is stored before it writes it back; empty if there is nothing to say. `shown` is what it is shown, as decoded. */
export function formatNote({ encoding }: TextFormat, shown: string): string {
  const broken = countBroken(shown);
  const lost = `${count(broken, 'byte')} that ${broken === 1 ? 'is not a valid character is' : 'are not valid characters are'} shown as U+FFFD; edit_file keeps what it does not replace, write_file would not`;
  if (broken > 0) return lost;
  if (encoding === 'utf-8') return '';
  return `${nameOf({ encoding })}; edit_file and write_file keep that`;
}

export function nameOf({ encoding }: Pick<TextFormat, 'encoding'>): string {
  return encoding === 'windows-1252' ? 'Windows-1252, or another encoding that is not UTF-8' : encoding.toUpperCase();
}

/** Returns a text such as `U+2019 "’"`. */
export function describeCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const seen = visibleLine(character);
  return seen === character && character.trim() !== '' ? `U+${code} "${character}"` : `U+${code}`;
}

export function endingOf(text: string): '\n' | '\r\n' {
  const first = text.indexOf('\n');
  if (first === -1) return '\n';
  // The first lines decide: a file that mixes endings is edited line by line anyway.
  const head = sliceHead(text, 65_536);
  const windows = head.split('\r\n').length - 1;
  return windows * 2 > head.split('\n').length - 1 ? '\r\n' : '\n';
}
