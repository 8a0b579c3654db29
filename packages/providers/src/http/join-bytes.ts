/** Joins text (as UTF-8) and bytes, in memory from `allocate`. @internal */
export function joinBytes(
  parts: readonly (string | Uint8Array)[],
  allocate: (size: number) => Buffer = (size) => Buffer.allocUnsafe(size),
): Uint8Array {
  let size = 0;
  for (const part of parts) size += sizeOf(part);
  const whole = allocate(size);
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

/** The number of bytes of a part. @internal */
export function sizeOf(part: string | Uint8Array): number {
  return typeof part === 'string' ? Buffer.byteLength(part) : part.length;
}
