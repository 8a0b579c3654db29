import { joinBytes } from './join-bytes.ts';

/** Memory for the bodies of one encoder. @internal */
export interface BodyBuffers {
  /** Joins parts to a body; `free` gives its bytes up, to be written anew by a later one. Parts may lie in the body before. */
  join(parts: readonly (string | Uint8Array)[]): { readonly bytes: Uint8Array; readonly free: () => void };
}

/** Smaller bodies cost the garbage collector nothing that counts. */
const WORTH_KEEPING_BYTES = 64 * 1024;

interface Kept {
  readonly buffer: Buffer;
  isFree: boolean;
}

/**
 * Creates the memory: two buffers that take turns, since each body is copied from the one before. New memory for every turn of a long
 * conversation would bring a full garbage collection every few hundred turns. A buffer whose body is still under way, or ended badly, is
 * left alone.
 */
export function createBodyBuffers(): BodyBuffers {
  let last: Kept | undefined;
  let spare: Kept | undefined;

  function take(size: number): Kept {
    const fits = spare !== undefined && spare.isFree && spare.buffer.length >= size;
    // Half as much again, so that the next bodies of a conversation that grows fit as well.
    const kept =
      fits && spare !== undefined ? spare : { buffer: Buffer.allocUnsafeSlow(size + (size >> 1)), isFree: false };
    kept.isFree = false;
    spare = last;
    last = kept;
    return kept;
  }

  return {
    join(parts) {
      let kept: Kept | undefined;
      const bytes = joinBytes(parts, (size) => {
        if (size < WORTH_KEEPING_BYTES) return Buffer.allocUnsafe(size);
        kept = take(size);
        return kept.buffer.subarray(0, size);
      });
      const own = kept;
      return {
        bytes,
        free() {
          if (own !== undefined) own.isFree = true;
        },
      };
    },
  };
}
