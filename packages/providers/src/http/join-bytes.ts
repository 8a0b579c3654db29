import { node } from '@kernel/internal';

const { Buffer: NodeBuffer } = node;
const encoder = new TextEncoder();

export type NodeBuffers = NonNullable<typeof NodeBuffer>;

/** Text as UTF-8. Where the platform has `Buffer`, the memory comes from `allocate`. */
export function joinBytes(
  parts: readonly (string | Uint8Array)[],
  allocate: (size: number, buffers: NodeBuffers) => Buffer = (size, buffers) => buffers.allocUnsafe(size),
): Uint8Array {
  if (NodeBuffer === undefined)
    return concatBytes(parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part)));
  let size = 0;
  for (const part of parts) size += typeof part === 'string' ? NodeBuffer.byteLength(part) : part.length;
  const whole = allocate(size, NodeBuffer);
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

export function sizeOf(part: string | Uint8Array): number {
  if (typeof part !== 'string') return part.length;
  return NodeBuffer === undefined ? encoder.encode(part).length : NodeBuffer.byteLength(part);
}

/** Smaller bodies are not worth reusing. */
const MIN_REUSED_BYTES = 64 * 1024;

interface ReusableBuffer {
  readonly buffer: Buffer;
  isFree: boolean;
}

// Two buffers alternate, since each body is copied from the previous one. New memory for every turn of a long conversation would cause a full
// garbage collection every few hundred turns. A buffer whose body is still being sent, or whose request failed, is not reused.
//
// The life of a buffer, with the file of each step:
//   turn n    `join` copies the messages of body n-1, a view of the other buffer, and the new ones into this one   (encode-message.ts)
//   sending   the HTTP client reads body n; this buffer is `last` and not free                                      (http/request.ts)
//   reply     the request has left and the reply is complete: `freeBody` calls `free`                               (stream/wire-stream.ts)
//   turn n+1  body n+1 goes into the other buffer; this one, now `spare`, keeps body n, which that one is copied from
//   turn n+2  if it is free and large enough, this one is written again; otherwise a new one is allocated
export function createBodyBuffers() {
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
    /** `free` releases the memory for a later body. Parts may be views of the previous body. */
    join(parts: readonly (string | Uint8Array)[]) {
      let kept: ReusableBuffer | undefined;
      const bytes = joinBytes(parts, (size, buffers) => {
        if (size < MIN_REUSED_BYTES) return buffers.allocUnsafe(size);
        kept = reserve(size, buffers);
        return kept.buffer.subarray(0, size);
      });
      const reserved = kept;
      return {
        bytes,
        free: () => {
          if (reserved !== undefined) reserved.isFree = true;
        },
      };
    },
  };
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first;
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
