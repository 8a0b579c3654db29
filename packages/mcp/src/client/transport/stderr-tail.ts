import { sliceTail } from '@kernel/internal';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

const MAX_BYTES = 8192;
const MAX_LINES = 6;
const MAX_CHARS = 800;

export interface StderrTail {
  /** The last lines so far, at most 800 characters, without colours and control characters; empty if nothing was written. */
  text(): string;
}

export function createStderrTail(stream: Readable): StderrTail {
  let tail = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    const joined = Buffer.concat([tail, chunk.subarray(-MAX_BYTES)]);
    tail = joined.length > MAX_BYTES ? Buffer.from(joined.subarray(-MAX_BYTES)) : joined;
  });
  stream.on('error', () => {}); // the exit of the program says more
  return {
    text() {
      const text = stripVTControlCharacters(tail.toString('utf8')).replaceAll(/\r\n?/g, '\n');
      const shown = text.replaceAll(/(?![\n\t])\p{Cc}/gu, '');
      const lines = shown.trimEnd().split('\n').slice(-MAX_LINES).join('\n');
      return lines.length > MAX_CHARS ? `…${sliceTail(lines, MAX_CHARS)}` : lines;
    },
  };
}
