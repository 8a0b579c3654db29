const MAGIC: readonly (readonly [mimeType: string, begins: readonly (number | undefined)[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38, undefined, 0x61]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46, ...Array<undefined>(4).fill(undefined), 0x57, 0x45, 0x42, 0x50]],
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
];

/** The media type of bytes that models can look at, by how they begin; undefined for anything else. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  return MAGIC.find(([, begins]) => begins.every((byte, index) => byte === undefined || bytes[index] === byte))?.[0];
}
