import zlib from 'node:zlib';

/** Undoes a content encoding, piece by piece. */
export interface Inflater {
  /** Returns false when the caller should pause until `onDrain`. */
  write(bytes: Uint8Array): boolean;
  end(): void;
  pause(): void;
  resume(): void;
  destroy(): void;
}

/** What an inflater tells. */
export interface InflaterEvents {
  onBytes(bytes: Uint8Array): void;
  onDrain(): void;
  onEnd(): void;
  onError(error: Error): void;
}

/** Says whether a `content-encoding` value names an encoding that has to be undone, and that is known. */
export function contentCoding(value: string | undefined): 'identity' | 'known' | 'unknown' {
  const name = (value ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return 'identity';
  return OPENERS.has(name) ? 'known' : 'unknown';
}

const OPENERS: ReadonlyMap<string, () => zlib.Gunzip | zlib.BrotliDecompress> = new Map([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  // Servers send both zlib and raw deflate under this name; Unzip takes zlib and gzip by their header.
  ['deflate', () => zlib.createInflate()],
  ['br', () => zlib.createBrotliDecompress()],
]);

/** Opens an inflater for gzip, deflate or br; its output comes in pieces of 16 KB, so that a bomb is met early. */
export function createInflater(encoding: string, events: InflaterEvents): Inflater {
  const open = OPENERS.get(encoding.trim().toLowerCase()) ?? (() => zlib.createGunzip());
  const stream = open();
  stream.on('data', (bytes: Uint8Array) => events.onBytes(bytes));
  stream.on('drain', () => events.onDrain());
  stream.on('end', () => events.onEnd());
  stream.on('error', (error: Error) => events.onError(error));
  return {
    write: (bytes) => stream.write(bytes),
    end: () => void stream.end(),
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    destroy: () => void stream.destroy(),
  };
}
