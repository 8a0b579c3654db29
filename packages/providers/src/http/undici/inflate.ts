import zlib from 'node:zlib';

export interface Inflater {
  /** False when the caller should pause until `onDrain`. */
  write(bytes: Uint8Array): boolean;
  end(): void;
  pause(): void;
  resume(): void;
  /** No event follows. */
  destroy(): void;
}

export interface InflaterEvents {
  onData(bytes: Uint8Array): void;
  /** `write` may continue. */
  onDrain(): void;
  onEnd(): void;
  onError(error: Error): void;
}

export function classifyEncoding(value: string | undefined): 'identity' | 'supported' | 'unsupported' {
  const name = (value ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return 'identity';
  return DECOMPRESSORS.has(name) ? 'supported' : 'unsupported';
}

const DECOMPRESSORS: ReadonlyMap<string, () => zlib.Gunzip | zlib.BrotliDecompress> = new Map([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['deflate', () => zlib.createInflate()],
  ['br', () => zlib.createBrotliDecompress()],
]);

/** Its output comes in chunks of 16 KB, so that a decompression bomb meets the limit early. */
export function createInflater(encoding: string, events: InflaterEvents): Inflater {
  const create = DECOMPRESSORS.get(encoding.trim().toLowerCase()) ?? (() => zlib.createGunzip());
  const stream = create();
  stream.on('data', (bytes: Uint8Array) => events.onData(bytes));
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
