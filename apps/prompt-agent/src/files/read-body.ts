/** Reads a body as text, of at most `maxBytes`. Rejects with a `RangeError` for a longer one, of which no more is read, and with a `SyntaxError` for one that is not UTF-8. */
export async function readBody(
  { body }: { readonly body: AsyncIterable<Uint8Array> | null },
  maxBytes: number,
): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new RangeError(`it has more than ${maxBytes} bytes`);
    text += decode(decoder, part);
  }
  return text + decode(decoder);
}

function decode(decoder: InstanceType<typeof TextDecoder>, part?: Uint8Array): string {
  try {
    return decoder.decode(part, { stream: part !== undefined });
  } catch (error) {
    throw new SyntaxError('it is not valid UTF-8', { cause: error });
  }
}
