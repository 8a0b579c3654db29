import { attempt, fromBase64, sliceHead } from '@kernel/internal';

/** A multiple of four, so that the cut is between groups of base64. */
const HEAD_CHARS = 512 * 1024;

const size = (width: number, height: number) => ({ width, height });

/** Reads the width and height of a PNG, JPEG, GIF or WebP from its first bytes. Undefined for anything else. */
export function imageSize(base64: string): { readonly width: number; readonly height: number } | undefined {
  // What is not base64 the vendor says.
  const bytes = attempt(() => fromBase64(sliceHead(base64, HEAD_CHARS)));
  if (bytes === undefined || bytes.length < 30) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (name(0) === '\u0089PNG') return size(view.getUint32(16), view.getUint32(20));
  if (name(0) === 'GIF8') return size(view.getUint16(6, true), view.getUint16(8, true));
  if (name(0) === 'RIFF' && name(8) === 'WEBP') {
    if (name(12) === 'VP8X')
      return size((view.getUint32(24, true) & 0xffffff) + 1, (view.getUint32(26, true) >>> 8) + 1);
    if (name(12) === 'VP8 ') return size(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
    const bits = view.getUint32(21, true);
    return name(12) === 'VP8L' ? size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1) : undefined;
  }
  return view.getUint16(0) === 0xffd8 ? jpegSize(view) : undefined;
}

/** Finds the frame header of a JPEG: segments before it are skipped by their lengths. */
function jpegSize(view: DataView): { readonly width: number; readonly height: number } | undefined {
  for (let at = 2; at + 9 < view.byteLength && view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}
