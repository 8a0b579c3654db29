/** Joins text and bytes to new bytes (UTF-8). @internal */
export function joinBytes(parts: readonly (string | Uint8Array)[]): Uint8Array {
  let size = 0;
  for (const part of parts) size += sizeOf(part);
  const whole = Buffer.allocUnsafe(size);
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') {
      at += whole.write(part, at);
    } else {
      whole.set(part, at);
      at += part.length;
    }
  }
  return whole;
}

/** How many bytes a part takes. @internal */
export function sizeOf(part: string | Uint8Array): number {
  return typeof part === 'string' ? Buffer.byteLength(part) : part.length;
}
