import { nodeModule } from './platform.ts';

/** Returns the SHA-256 of text or bytes. Synchronous, unlike the web's: where Node's is absent, this file's own computes it. */
export function sha256(data: string | Uint8Array): Uint8Array {
  const hash = nodeModule('node:crypto')?.createHash('sha256');
  return hash?.update(data).digest() ?? sha256Of(typeof data === 'string' ? new TextEncoder().encode(data) : data);
}

export function sha256Hex(text: string): string {
  const crypto = nodeModule('node:crypto');
  if (crypto !== undefined) return crypto.hash('sha256', text);
  return [...sha256(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The first 32 bits of the fractional parts of `root(prime)` for the first primes. */
function constants(count: number, root: (prime: number) => number): readonly number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n += 1) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= n; divisor += 1) if (n % divisor === 0) isPrime = false;
    if (isPrime) found.push(Math.trunc((root(n) % 1) * 2 ** 32));
  }
  return found;
}

/** SHA-256 as FIPS 180-4 has it. */
export function sha256Of(bytes: Uint8Array): Uint8Array {
  const rounds = constants(64, Math.cbrt);
  const state = Int32Array.from(constants(8, Math.sqrt));
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const words = new Int32Array(64);
  const word = (at: number): number => words[at] ?? 0;
  for (let block = 0; block < padded.length; block += 64) {
    for (let at = 0; at < 16; at += 1) words[at] = view.getInt32(block + at * 4);
    for (let at = 16; at < 64; at += 1) {
      const [early, late] = [word(at - 15), word(at - 2)];
      const low = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
      words[at] = word(at - 16) + low + word(at - 7) + (rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10));
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let at = 0; at < 64; at += 1) {
      const choice = (e & f) ^ (~e & g);
      const first = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (rounds[at] ?? 0) + word(at)) | 0;
      const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    for (const [at, value] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] ?? 0) + value;
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [at, value] of state.entries()) digest.setInt32(at * 4, value);
  return new Uint8Array(digest.buffer);
}

function rotate(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits));
}
