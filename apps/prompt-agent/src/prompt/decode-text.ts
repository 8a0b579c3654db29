/** Decodes UTF-8, without its byte order mark; `undefined` for bytes that are not text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8192).includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Decodes UTF-8, or what else the file tools read: UTF-16 and Windows-1252. Resolves to `undefined` for bytes that are not text. `warn` is told what may not be as
 * it was meant: any other encoding is read as Windows-1252, and bytes among UTF-8 that are no characters are lost.
 */
export async function decodeAnyText(bytes: Uint8Array, warn: (what: string) => void): Promise<string | undefined> {
  const text = decodeText(bytes);
  if (text !== undefined) return text;
  // Few need it, and it is not loaded for the others.
  const { decodeFile } = await import('@kernel/toolbox/files');
  const decoded = decodeFile(bytes);
  const isUtf16 = bytes.includes(0) || /^(?:fffe|feff)/.test(Buffer.from(bytes.subarray(0, 2)).toString('hex'));
  if (decoded?.includes('\uFFFD') === true) warn('has bytes that are not valid characters; they are sent as U+FFFD');
  else if (decoded !== undefined && !isUtf16) warn('is not UTF-8; it is read as Windows-1252');
  return decoded;
}
