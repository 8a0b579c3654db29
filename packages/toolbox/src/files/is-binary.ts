/** Whether bytes are not text: a NUL among the first 8,000, as Git decides. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0);
}
