/** Text that only grows, kept as UTF-8: what was written once is copied as a block, never written again. @internal */
export interface GrowingText {
  append(text: string): void;
  /** `before`, the text and `after` as new bytes, which later changes don't reach. */
  between(before: readonly (string | Uint8Array)[], after: string): Uint8Array;
}

const FIRST_BYTES = 4096;

/** Creates an empty text. @internal */
export function createGrowingText(): GrowingText {
  let bytes = Buffer.allocUnsafe(FIRST_BYTES);
  let length = 0;
  return {
    append(text) {
      const needed = length + Buffer.byteLength(text);
      if (needed > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.max(needed, bytes.length * 2));
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
      }
      length += bytes.write(text, length);
    },
    between(before, after) {
      let size = length + sizeOf(after);
      for (const part of before) size += sizeOf(part);
      const whole = Buffer.allocUnsafe(size);
      let at = 0;
      for (const part of before) at += put(whole, at, part);
      at += bytes.copy(whole, at, 0, length);
      put(whole, at, after);
      return whole;
    },
  };
}

function sizeOf(part: string | Uint8Array): number {
  return typeof part === 'string' ? Buffer.byteLength(part) : part.length;
}

function put(whole: Buffer, at: number, part: string | Uint8Array): number {
  if (typeof part === 'string') return whole.write(part, at);
  whole.set(part, at);
  return part.length;
}
