import type { Readable } from 'node:stream';

const KEPT_BYTES = 8192;
const SHOWN_LINES = 6;
const SHOWN_CHARS = 800;

/** The end of what a program wrote, for error texts. */
export interface Tail {
  /** The last lines, at most 800 characters; empty if it wrote nothing. */
  text(): string;
}

/** Reads a stream to its end and keeps the last 8 KiB. Nothing of it is printed. */
export function keepTail(stream: Readable): Tail {
  let kept = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    const joined = Buffer.concat([kept, chunk.subarray(-KEPT_BYTES)]);
    kept = joined.length > KEPT_BYTES ? Buffer.from(joined.subarray(-KEPT_BYTES)) : joined;
  });
  stream.on('error', () => {}); // the program's end is heard elsewhere
  return {
    text() {
      const lines = kept.toString('utf8').trimEnd().split(/\r?\n/).slice(-SHOWN_LINES).join('\n');
      return lines.length > SHOWN_CHARS ? `…${lines.slice(-SHOWN_CHARS)}` : lines;
    },
  };
}
