/** Returns the SHA-256 of a text in hex. Loads `node:crypto` at its first use: importing it costs more than the rest of this package. */
export function digest(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text);
}
