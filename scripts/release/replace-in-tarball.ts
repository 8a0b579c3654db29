import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

const BLOCK = 512;
/** The byte ranges of header fields. */
const NAME = [0, 100] as const;
const SIZE = [124, 136] as const;
const CHECKSUM = [148, 156] as const;

/**
 * Replaces the text of one file in a `.tgz`, keeping everything else byte for byte. Repacking it with `tar` would add the user and the time. Throws if there is
 * no such file.
 */
export function replaceInTarball(tarball: string, name: string, replace: (text: string) => string): void {
  const tar = gunzipSync(readFileSync(tarball));
  const parts: Buffer[] = [];
  let isReplaced = false;
  let at = 0;
  // Blocks of zeros mark the end.
  while (at < tar.length && tar[at] !== 0) {
    const header = tar.subarray(at, at + BLOCK);
    const size = Number.parseInt(field(header, SIZE), 8);
    const end = at + BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (field(header, NAME) === name) {
      const content = Buffer.from(replace(tar.toString('utf8', at + BLOCK, at + BLOCK + size)));
      parts.push(withSize(header, content.length), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK));
      isReplaced = true;
    } else parts.push(tar.subarray(at, end));
    at = end;
  }
  if (!isReplaced) throw new Error(`${tarball} has no ${name}.`);
  writeFileSync(tarball, gzipSync(Buffer.concat([...parts, tar.subarray(at)])));
}

function field(header: Buffer, [start, end]: readonly [number, number]): string {
  const text = header.toString('utf8', start, end);
  return text.replace(/\0.*$/s, '').trim();
}

/** Returns a header with another size and a matching checksum: the sum of all bytes, with those of the checksum itself counted as spaces. */
function withSize(header: Buffer, size: number): Buffer {
  const changed = Buffer.from(header);
  changed.write(`${size.toString(8).padStart(11, '0')} `, SIZE[0], 'ascii');
  changed.fill(' ', ...CHECKSUM);
  const sum = changed.reduce((total, byte) => total + byte, 0);
  changed.write(`${sum.toString(8).padStart(6, '0')}\0 `, CHECKSUM[0], 'ascii');
  return changed;
}
