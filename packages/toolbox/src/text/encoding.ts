import { isUtf8 } from 'node:buffer';

export interface TextFormat {
  /** Windows-1252 stands for every encoding that is neither of the others: it has a character for each byte, so that no byte is lost. */
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  readonly bomLength: number;
  /** Whether it is UTF-16 that ends within a unit, so that the last one of its text stands for a byte alone. */
  readonly isCut?: boolean;
}

/** What decides whether a file is text: as much as Git looks at. */
const SAMPLE = 8000;
/** Controls that texts do not have: all but backspace, tab, line breaks, form feed, escape and the end of a file of DOS. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const NO_TEXT = /[\u0000-\u0007\u000E-\u0019\u001C-\u001F\uFFFF]/;
/** The characters of the bytes from 0x80 to 0x9F in Windows-1252; five of them have none, and stand for themselves. */
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';

/**
 * Finds out how a text is stored from its bytes, or from those at its beginning; undefined if it is not text, which a NUL among the first 8,000 bytes shows, as
 * in Git, except in UTF-16. With more that speaks for UTF-8 than against it, it is UTF-8, and else Windows-1252.
 */
export function detectFormat(bytes: Uint8Array): TextFormat | undefined {
  const sample = bytes.subarray(0, SAMPLE);
  const [first, second, third] = sample;
  if (first === 0xff && second === 0xfe) return utf16('utf-16le', sample, 2);
  if (first === 0xfe && second === 0xff) return utf16('utf-16be', sample, 2);
  if (sample.includes(0)) return unmarkedUtf16(sample);
  const bomLength = first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0;
  const text = bytes.subarray(0, bytes.length - unfinishedUtf8(bytes));
  return { encoding: bomLength > 0 || isUtf8(text) || looksLikeUtf8(text) ? 'utf-8' : 'windows-1252', bomLength };
}

export function createFormatDecoder({ encoding }: TextFormat) {
  if (encoding === 'windows-1252') return { write: decodeWindows, end: () => '' };
  const isUtf8Text = encoding === 'utf-8';
  const decode = isUtf8Text ? decodeUtf8 : (bytes: Uint8Array): string => decodeUtf16(bytes, encoding);
  let rest: Uint8Array = new Uint8Array();
  return {
    write: (bytes: Uint8Array): string => {
      const whole = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const end = whole.length - (isUtf8Text ? unfinishedUtf8(whole) : whole.length % 2);
      rest = whole.slice(end);
      return decode(whole.subarray(0, end));
    },
    end: (): string => (isUtf8Text ? decodeUtf8(rest) : String.fromCharCode(...Array.from(rest, (byte) => CUT + byte))),
  };
}

/** Added to a byte, this is half a surrogate pair that stands for that byte alone: as a first half it never makes a pair with what is before it. */
const CUT = 0xd800;

export function decodeText(bytes: Uint8Array, format: TextFormat): string {
  const decoder = createFormatDecoder(format);
  return decoder.write(bytes.subarray(format.bomLength)) + decoder.end();
}

/** The content of a file with a text in a format; its byte order mark included. Of Windows-1252 the text must have no `missingCharacter`. */
export function encodeText(text: string, { bomLength, encoding, isCut = false }: TextFormat): string | Uint8Array {
  if (encoding === 'windows-1252')
    return Buffer.from(text.replaceAll(/[^\0-\u007F\u00A0-\u00FF]/g, toWindows), 'latin1');
  const whole = bomLength > 0 ? `\uFEFF${text}` : text;
  if (encoding === 'utf-8') return whole.isWellFormed() ? whole : encodeKeptBytes(whole);
  const last = isCut ? whole.charCodeAt(whole.length - 1) - CUT : -1;
  const isByte = last >= 0 && last <= 0xff;
  const bytes = Buffer.from(isByte ? whole.slice(0, -1) : whole, 'utf16le');
  const ordered = encoding === 'utf-16le' ? bytes : bytes.swap16();
  return isByte ? Buffer.concat([ordered, Uint8Array.of(last)]) : ordered;
}

export function missingCharacter(text: string, { encoding }: TextFormat): string | undefined {
  if (encoding !== 'windows-1252') return undefined;
  for (const [character] of text.matchAll(/[^\0-\u007F\u00A0-\u00FF]/gu))
    if (!WINDOWS.includes(character)) return character;
  return undefined;
}

/** How many bytes, or units of UTF-16, of a decoded text stand for no character. `toWellFormed` shows each as U+FFFD. */
export function countBroken(text: string): number {
  return text.isWellFormed() ? 0 : (text.match(/\p{Cs}/gu)?.length ?? 0);
}

function utf16(encoding: 'utf-16le' | 'utf-16be', sample: Uint8Array, bomLength: number): TextFormat | undefined {
  const even = sample.subarray(bomLength, sample.length - (sample.length % 2));
  return NO_TEXT.test(decodeUtf16(even, encoding)) ? undefined : { encoding, bomLength };
}

/** In UTF-16 of mostly ASCII, about every second byte is 0, and no other one is. */
function unmarkedUtf16(sample: Uint8Array): TextFormat | undefined {
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (sample.length < 4 || (even > 0 && odd > 0) || (even + odd) * 3 < sample.length) return undefined;
  return utf16(even === 0 ? 'utf-16le' : 'utf-16be', sample, 0);
}

/** What may stand behind a capital letter or an ß in Windows-1252, which are the first bytes of two in UTF-8: quotes, dashes, dots and the hard space. */
const CLOSING = new Set(Buffer.from('…‘’“”–—›»«·\u00A0'.replaceAll(/[^\u00A0-\u00FF]/g, toWindows), 'latin1'));

/** A character of several bytes speaks for UTF-8 more than a broken one against it, unless Windows-1252 could have its two bytes as well. */
function looksLikeUtf8(bytes: Uint8Array): boolean {
  let weight = 0;
  for (let at = 0; at < bytes.length;) {
    const length = utf8Length(bytes, at);
    if (length < 1) weight -= 1;
    else if (length > 1) weight += length === 2 && CLOSING.has(bytes[at + 1] ?? 0) ? 1 : 2;
    at += Math.max(1, length);
  }
  return weight > 0;
}

function decodeUtf8(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) return decodeKeepingBytes(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Unlike `TextDecoder`, it keeps halves of pairs. */
function decodeUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): string {
  return (
    encoding === 'utf-16le'
      ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      : Buffer.from(bytes).swap16()
  ).toString('utf16le');
}

function decodeWindows(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return text.replaceAll(/[\u0080-\u009F]/g, (control) => WINDOWS[control.charCodeAt(0) - 0x80] ?? control);
}

function toWindows(character: string): string {
  const index = WINDOWS.indexOf(character);
  return index === -1 ? '?' : String.fromCharCode(0x80 + index);
}

const MAGIC: readonly (readonly [mimeType: string, begins: readonly (number | undefined)[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38, undefined, 0x61]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46, ...Array<undefined>(4).fill(undefined), 0x57, 0x45, 0x42, 0x50]],
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
];

/** The media type of bytes that models can look at, by how they begin; undefined for anything else. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  return MAGIC.find(([, begins]) => begins.every((byte, index) => byte === undefined || bytes[index] === byte))?.[0];
}

/**
 * How long the UTF-8 character at a place is, in bytes: 0 if the byte there belongs to none, and less than 0 if the bytes end before it does.
 * Bounds as in table 3-7 of the Unicode Standard.
 */
function utf8Length(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (let index = 1; index < length; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) return -1;
    const low = index > 1 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const high = index > 1 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    if (byte < low || byte > high) return 0;
  }
  return length;
}

/** How many bytes at the end begin a UTF-8 character that they do not complete. */
export function unfinishedUtf8(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1)
    if ((bytes[bytes.length - back] ?? 0) >= 0xc0) return utf8Length(bytes, bytes.length - back) < 0 ? back : 0;
  return 0;
}

/** Decodes UTF-8 without loss, as `surrogateescape` of Python does: each invalid byte becomes one of U+DC80 to U+DCFF, which valid UTF-8 never has. */
function decodeKeepingBytes(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length;) {
    const length = utf8Length(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(buffer.toString('utf8', from, at), String.fromCharCode(0xdc00 + (bytes[at] ?? 0)));
    at += 1;
    from = at;
  }
  parts.push(buffer.toString('utf8', from));
  return parts.join('');
}

function encodeKeptBytes(text: string): Uint8Array {
  const parts: Buffer[] = [];
  let from = 0;
  // With the flag "u", the halves of whole pairs do not match.
  for (const { 0: kept, index } of text.matchAll(/[\uDC80-\uDCFF]+/gu)) {
    const bytes = Buffer.from(kept, 'utf16le').filter((_, place) => place % 2 === 0);
    parts.push(Buffer.from(text.slice(from, index)), Buffer.from(bytes));
    from = index + kept.length;
  }
  return Buffer.concat([...parts, Buffer.from(text.slice(from))]);
}
