/** Hexadecimal; a dot stands for any digit. */
const SIGNATURES: readonly (readonly [mimeType: string, pattern: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
];

/** Returns the MIME type of an image by its first bytes; `undefined` for anything else. */
export function imageType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('hex');
  return SIGNATURES.find(([, pattern]) => pattern.test(head))?.[0];
}
