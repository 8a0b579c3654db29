import { isUtf8 } from 'node:buffer';
import { decodeText, detectFormat } from '../../text/encoding.ts';

/** The text of bytes that an editor and a disk hold in the same way: UTF-8 without a byte order mark. Undefined for all others, which stay on disk. */
export function plainText(bytes: Uint8Array): string | undefined {
  const format = detectFormat(bytes);
  return format?.encoding === 'utf-8' && format.bomLength === 0 && isUtf8(bytes)
    ? decodeText(bytes, format)
    : undefined;
}

/** Whether an editor shows a text with Windows line endings without its carriage returns, as many do, which write them again when they save. */
export function hidesCarriageReturns(saved: string, shown: string): boolean {
  return saved.includes('\r\n') && !shown.includes('\r\n');
}

export function crlfToLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** What an editor shows, with the line endings of what is on disk. A text that lacks no more than its last line break, which some leave out, is the one on disk. */
export function withSavedEndings(saved: string, shown: string): string {
  const plain = hidesCarriageReturns(saved, shown) ? crlfToLf(saved) : saved;
  if (plain === shown || plain === `${shown}\n`) return saved;
  const windows = saved.length - plain.length;
  return windows > 0 && windows * 2 > plain.split('\n').length - 1 ? shown.replaceAll('\n', '\r\n') : shown;
}
