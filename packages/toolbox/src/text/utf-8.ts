/**
 * How long the UTF-8 character at a place is, in bytes: 0 if the byte there belongs to none, and less than 0 if the bytes end before it does.
 * Bounds as in table 3-7 of the Unicode Standard.
 */
export function utf8Length(bytes: Uint8Array, at: number): number {
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
export function decodeKeepingBytes(bytes: Uint8Array): string {
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

export function encodeKeptBytes(text: string): Uint8Array {
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
