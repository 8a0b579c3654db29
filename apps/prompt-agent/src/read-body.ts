/** Reads a body as text, of at most `maxBytes`. Rejects with a `RangeError` for a longer one, of which no more is read. */
export async function readBody(
  { body }: { readonly body: AsyncIterable<Uint8Array> | null },
  maxBytes: number,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new RangeError(`it has more than ${maxBytes} bytes`);
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
