import { DEFAULT_LIMITS, limitError } from '../http/limits.ts';

/** Takes bytes as they come; calls `onFrame` synchronously with each whole frame of a binary event stream. */
export interface FrameSplitter {
  /** Throws `PROVIDER_PROTOCOL` for a length that no frame has. Returns how many frames it gave out. */
  push(bytes: Uint8Array): number;
  /** Whether the beginning of an unfinished frame is here. */
  isInside(): boolean;
}

const MIN_FRAME = 16;

/** Creates a splitter: the first four bytes of a frame say how long it is. What is inside, checksums included, is the reader's. */
export function createFrameSplitter(
  onFrame: (bytes: Uint8Array) => void,
  maxFrameBytes: number = DEFAULT_LIMITS.lineLength,
): FrameSplitter {
  let pieces: Uint8Array[] = [];
  let length = 0;
  /** How many bytes the frame under way has; nothing until its first four are there. */
  let wanted: number | undefined;

  function joined(): Buffer {
    const bytes = Buffer.concat(pieces);
    pieces = [bytes];
    return bytes;
  }

  return {
    push(bytes) {
      // The bytes are the transport's to reuse.
      pieces.push(Buffer.from(bytes));
      length += bytes.length;
      let frames = 0;
      while (length >= (wanted ?? 4)) {
        const all = joined();
        if (wanted === undefined) {
          wanted = all.readUInt32BE(0);
          if (wanted < MIN_FRAME || wanted > maxFrameBytes) {
            const what = `The reply has a frame of ${wanted} bytes`;
            throw limitError(
              'lineLength',
              what,
              maxFrameBytes,
              'The server sends something else than an event stream.',
            );
          }
          continue;
        }
        const frame = all.subarray(0, wanted);
        const rest = all.subarray(wanted);
        pieces = rest.length === 0 ? [] : [rest];
        length = rest.length;
        wanted = undefined;
        frames += 1;
        onFrame(frame);
      }
      return frames;
    },
    isInside: () => length > 0,
  };
}
