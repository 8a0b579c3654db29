import { sliceHead } from '@kernel/internal';
import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** Reads the body of a response, unpacked. Rejects beyond `maxBytes` of the unpacked body, which a small packed one can hide. */
export async function readBody(response: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const abort = () => response.destroy(new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  let stream: Readable = response;
  try {
    stream = unpacked(response);
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of stream as AsyncIterable<Uint8Array>) {
      size += part.length;
      if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  } finally {
    signal.removeEventListener('abort', abort);
    stream.destroy();
    response.destroy();
  }
}

function unpacked(response: IncomingMessage): Readable {
  const encodings = (response.headers['content-encoding'] ?? '').split(',').map((each) => each.trim().toLowerCase());
  const [encoding = '', ...more] = encodings.filter((each) => each !== '' && each !== 'identity');
  if (encoding === '') return response;
  const unpack = more.length === 0 ? decoderOf(encoding) : undefined;
  if (unpack === undefined) throw new Error(`it is packed as "${sliceHead(encodings.join(', '), 80)}"`);
  response.on('error', (error) => unpack.destroy(error));
  return response.pipe(unpack);
}

function decoderOf(encoding: string): Transform | undefined {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  return encoding === 'br' ? createBrotliDecompress() : undefined;
}
