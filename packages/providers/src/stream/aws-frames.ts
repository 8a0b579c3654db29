import { copyBytes } from '@kernel/internal';
import { concatBytes } from '../http/join-bytes.ts';
import { DEFAULT_LIMITS, limitError } from '../http/limits.ts';

const MIN_FRAME_BYTES = 16;

/** The first four bytes of a frame are its length; its content, checksums included, is not examined. */
export function createFrameSplitter(
  onFrame: (bytes: Uint8Array) => void,
  maxFrameBytes: number = DEFAULT_LIMITS.lineLength,
) {
  let chunks: Uint8Array[] = [];
  let buffered = 0;
  /** Undefined until the first four bytes of the frame are buffered. */
  let frameLength: number | undefined;

  function joinChunks(): Uint8Array {
    const bytes = concatBytes(chunks);
    chunks = [bytes];
    return bytes;
  }

  return {
    /** Returns how many frames were completed. */
    push(bytes: Uint8Array) {
      // The memory is reused by the caller.
      chunks.push(copyBytes(bytes));
      buffered += bytes.length;
      let frames = 0;
      while (buffered >= (frameLength ?? 4)) {
        const all = joinChunks();
        if (frameLength === undefined) {
          frameLength = new DataView(all.buffer, all.byteOffset).getUint32(0);
          if (frameLength < MIN_FRAME_BYTES || frameLength > maxFrameBytes) {
            throw limitError(
              'lineLength',
              `The reply has a frame of ${frameLength} bytes`,
              maxFrameBytes,
              'The server sends something other than an event stream.',
            );
          }
          continue;
        }
        const frame = all.subarray(0, frameLength);
        const remainder = all.subarray(frameLength);
        chunks = remainder.length === 0 ? [] : [remainder];
        buffered = remainder.length;
        frameLength = undefined;
        frames += 1;
        onFrame(frame);
      }
      return frames;
    },
    hasPartialFrame: () => buffered > 0,
  };
}
