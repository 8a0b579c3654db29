/** The first bytes of the media that models take, in hexadecimal; a dot stands for any digit. */
const SIGNATURES: readonly (readonly [mimeType: string, pattern: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
  ['application/pdf', /^255044462d/],
  ['audio/wav', /^52494646.{8}57415645/],
  ['audio/mpeg', /^(?:494433|fff[3ab])/],
  ['audio/ogg', /^4f676753/],
  ['audio/flac', /^664c6143/],
  ['audio/mp4', /^.{8}667479704d3441/],
  ['audio/webm', /^1a45dfa3/],
];

/** Returns the MIME type of an image, a recording or a PDF by its first bytes; `undefined` for anything else. */
export function mediaType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('hex');
  return SIGNATURES.find(([, pattern]) => pattern.test(head))?.[0];
}
