/** Returns eight letters and digits that depend on the whole text: the same on every machine and in every version. */
export function stableHash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) + (b >>> 13);
  }
  const digits =
    ((a ^ (a >>> 15)) >>> 0).toString(36).padStart(7, '0') + ((b ^ (b >>> 16)) >>> 0).toString(36).padStart(7, '0');
  return digits.slice(0, 4) + digits.slice(7, 11);
}
