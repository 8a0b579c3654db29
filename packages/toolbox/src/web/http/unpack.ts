import { promisify } from 'node:util';
import { brotliDecompress, crc32, inflate, inflateRaw } from 'node:zlib';

/**
 * Unpacks a body as browsers do: deflate may lack the header of zlib, and bytes behind the end of gzip do not count.
 * Rejects with `ERR_BUFFER_TOO_LARGE` beyond `maxBytes`.
 */
export function unpack(encoding: string, body: Buffer, maxBytes: number): Promise<Buffer> {
  if (encoding === 'br') return promisify(brotliDecompress)(body, { maxOutputLength: maxBytes });
  if (encoding !== 'deflate') return unpackGzip(body, maxBytes);
  const hasHeader = ((body[0] ?? 0) & 0x0f) === 8 && body.length > 1 && body.readUInt16BE(0) % 31 === 0;
  return promisify(hasHeader ? inflate : inflateRaw)(body, { maxOutputLength: maxBytes });
}

/** Node itself would take what stands behind the end for a further part, and lose the text before it. */
async function unpackGzip(body: Buffer, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let left = maxBytes;
  for (let at = 0; at === 0 || isGzip(body, at);) {
    if (!isGzip(body, at)) throw new Error('it is not packed as gzip, as the server says');
    const start = endOfHeader(body, at);
    const { part, packedBytes } = await inflatePart(body.subarray(start), Math.max(1, left));
    at = start + packedBytes + 8;
    if (at > body.length) throw new Error('it ended early');
    if (crc32(part) !== body.readUInt32LE(at - 8)) throw new Error('it is damaged');
    left -= part.length;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const isGzip = (body: Buffer, at: number): boolean => body[at] === 0x1f && body[at + 1] === 0x8b;

/** Where the packed bytes begin: behind the fields that the flags of the header name (RFC 1952). */
function endOfHeader(body: Buffer, at: number): number {
  const flags = body[at + 3] ?? 0;
  let end = at + 10;
  if ((flags & 4) !== 0) end += 2 + (body[end] ?? 0) + (body[end + 1] ?? 0) * 256;
  for (const name of [8, 16]) if ((flags & name) !== 0) end = body.indexOf(0, end) + 1 || body.length;
  return (flags & 2) === 0 ? end : end + 2;
}

function inflatePart(
  packed: Buffer,
  maxBytes: number,
): Promise<{ readonly part: Buffer; readonly packedBytes: number }> {
  return new Promise((resolve, reject) => {
    inflateRaw(packed, { info: true, maxOutputLength: maxBytes }, (error, result: unknown) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of Node do not know `info`
      const { buffer, engine } = (result ?? {}) as { buffer: Buffer; engine: { bytesWritten: number } };
      if (error === null) resolve({ part: buffer, packedBytes: engine.bytesWritten });
      else reject(error);
    });
  });
}
