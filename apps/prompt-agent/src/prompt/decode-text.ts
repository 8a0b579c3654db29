/** Decodes UTF-8, without its byte order mark; `undefined` for bytes that are not text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8192).includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes UTF-8, or what else the file tools read: UTF-16 and Windows-1252. Resolves to `undefined` for bytes that are not text. */
export async function decodeAnyText(bytes: Uint8Array): Promise<string | undefined> {
  const text = decodeText(bytes);
  if (text !== undefined) return text;
  // Few need it, and it is not loaded for the others.
  const { decodeFile } = await import('@kernel/toolbox/files');
  return decodeFile(bytes);
}
