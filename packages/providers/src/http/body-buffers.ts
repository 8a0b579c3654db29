import { joinBytes, type NodeBuffers } from './join-bytes.ts';

export interface BodyBuffers {
  /** `free` releases the memory for a later body. Parts may be views of the previous body. */
  join(parts: readonly (string | Uint8Array)[]): { readonly bytes: Uint8Array; readonly free: () => void };
}

/** Smaller bodies are not worth reusing. */
const MIN_REUSED_BYTES = 64 * 1024;

interface ReusableBuffer {
  readonly buffer: Buffer;
  isFree: boolean;
}

// Two buffers alternate, since each body is copied from the previous one. New memory for every turn of a long conversation would cause a full
// garbage collection every few hundred turns. A buffer whose body is still being sent, or whose request failed, is not reused.
export function createBodyBuffers(): BodyBuffers {
  let last: ReusableBuffer | undefined;
  let spare: ReusableBuffer | undefined;

  function reserve(size: number, buffers: NodeBuffers): ReusableBuffer {
    const fits = spare !== undefined && spare.isFree && spare.buffer.length >= size;
    // 50 % more, so that the next bodies of a growing conversation fit as well.
    const kept =
      fits && spare !== undefined ? spare : { buffer: buffers.allocUnsafeSlow(size + (size >> 1)), isFree: false };
    kept.isFree = false;
    spare = last;
    last = kept;
    return kept;
  }

  return {
    join(parts) {
      let kept: ReusableBuffer | undefined;
      const bytes = joinBytes(parts, (size, buffers) => {
        if (size < MIN_REUSED_BYTES) return buffers.allocUnsafe(size);
        kept = reserve(size, buffers);
        return kept.buffer.subarray(0, size);
      });
      const reserved = kept;
      return {
        bytes,
        free() {
          if (reserved !== undefined) reserved.isFree = true;
        },
      };
    },
  };
}
