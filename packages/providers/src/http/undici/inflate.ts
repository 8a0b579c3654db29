import zlib from 'node:zlib';

/** Decompresses a body chunk by chunk. */
export interface Inflater {
  /** Returns false when the caller should pause until `onDrain`. */
  write(bytes: Uint8Array): boolean;
  /** Marks the end of the compressed body. */
  end(): void;
  /** Stops the output. */
  pause(): void;
  /** Continues the output. */
  resume(): void;
  /** Discards everything; no event follows. */
  destroy(): void;
}

/** What an inflater reports. */
export interface InflaterEvents {
  /** A chunk of the decompressed body. */
  onData(bytes: Uint8Array): void;
  /** `write` may continue. */
  onDrain(): void;
  /** The whole body was delivered. */
  onEnd(): void;
  /** The compressed data is corrupt. */
  onError(error: Error): void;
}

/** Classifies a `content-encoding` value: nothing to decompress, supported or unsupported. */
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

/** Creates an inflater for gzip, deflate (zlib) or br. Its output comes in chunks of 16 KB, so that a decompression bomb meets the limit early. */
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
