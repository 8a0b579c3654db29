import { constants, type FileHandle, open } from 'node:fs/promises';
import { usageError } from '../exit-code.ts';

const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const PIECE_BYTES = 65_536;

/**
 * Reads a file that the user named, of at most `maxBytes`. Returns undefined if there is none. A pipe or a device cannot block it, and the size that
 * counts is that of the opened file. Throws a usage error that begins with `what`, such as `--images`, and names the path as it was written.
 */
export async function readBytes(
  path: string,
  { what, shown = path, maxBytes }: { readonly what: string; readonly shown?: string; readonly maxBytes: number },
): Promise<Uint8Array | undefined> {
  const refuse = (problem: string): Error => usageError(`${what}: "${shown}" ${problem}.`);
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    if (code === 'ENOENT') return undefined;
    throw refuse(`cannot be read (${code})`);
  });
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw refuse('is not a file');
    if (stats.size > maxBytes) throw refuse(`has ${stats.size} bytes; at most ${maxBytes} are read`);
    if (stats.size === 0) return await readWithoutSize(file, maxBytes, refuse);
    // One byte more than the file has, so that one that grows meanwhile is noticed.
    const { bytesRead, buffer } = await file.read(Buffer.alloc(stats.size + 1), 0, stats.size + 1, 0);
    if (bytesRead > stats.size) throw refuse('changes while it is read');
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Reads a file whose size is 0: those below `/proc` have content all the same. */
async function readWithoutSize(
  file: FileHandle,
  maxBytes: number,
  refuse: (problem: string) => Error,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- piece after piece
    const { bytesRead, buffer } = await file.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, size);
    if (bytesRead === 0) return Buffer.concat(pieces);
    pieces.push(buffer.subarray(0, bytesRead));
    size += bytesRead;
    if (size > maxBytes) throw refuse(`has more than ${maxBytes} bytes`);
  }
}

/** Like `readBytes`, for a file that must be there. */
export async function requireBytes(path: string, what: string, shown: string, maxBytes: number): Promise<Uint8Array> {
  return (await readBytes(path, { what, shown, maxBytes })) ?? missing(what, shown);
}

function missing(what: string, shown: string): never {
  throw usageError(`${what}: "${shown}" cannot be read (ENOENT).`);
}

/** Like `readText`, for a file that must be there. */
export async function requireText(path: string, what: string, shown: string): Promise<string> {
  return (await readText(path, what, shown)) ?? missing(what, shown);
}

/** Like `readBytes`, for UTF-8 text of at most 4 MiB. */
export async function readText(path: string, what: string, shown = path): Promise<string | undefined> {
  const bytes = await readBytes(path, { what, shown, maxBytes: MAX_TEXT_BYTES });
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usageError(`${what}: "${shown}" is not UTF-8 text.`);
  }
}

/**
 * Parses the JSON of a file, with or without a byte order mark. Throws a usage error that begins with `what`, which names the file, and says where the text
 * breaks; nothing of the text is shown, since it may hold a key.
 */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw usageError(`${what} is not valid JSON${whereOf(text, error)}.`);
  }
}

/** The engine names a place for most mistakes, not for all. */
function whereOf(text: string, error: unknown): string {
  if (text.trim() === '') return ': it is empty';
  const message = error instanceof Error ? error.message : '';
  if (message.includes('end of JSON')) return ': it ends too early';
  const place = /line \d+ column \d+/.exec(message)?.[0];
  return place === undefined ? '' : `: it breaks at ${place}`;
}

/** Decodes UTF-8, without its byte order mark; `undefined` for bytes that are not text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8192).includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Decodes UTF-8, or what else the file tools read: UTF-16 and Windows-1252. Resolves to `undefined` for bytes that are not text. `warn` is told what may not be as
 * it was meant: any other encoding is read as Windows-1252, and bytes among UTF-8 that are no characters are lost.
 */
export async function decodeAnyText(bytes: Uint8Array, warn: (what: string) => void): Promise<string | undefined> {
  const text = decodeText(bytes);
  if (text !== undefined) return text;
  // Few need it, and it is not loaded for the others.
  const { decodeFile } = await import('@kernel/toolbox/files');
  const decoded = decodeFile(bytes);
  const isUtf16 = bytes.includes(0) || /^(?:fffe|feff)/.test(Buffer.from(bytes.subarray(0, 2)).toString('hex'));
  if (decoded?.includes('\uFFFD') === true) warn('has bytes that are not valid characters; they are sent as U+FFFD');
  else if (decoded !== undefined && !isUtf16) warn('is not UTF-8; it is read as Windows-1252');
  return decoded;
}

/** Reads a body as text, of at most `maxBytes`. Rejects with a `RangeError` for a longer one, of which no more is read, and with a `SyntaxError` for one that is not UTF-8. */
export async function readBody(
  { body }: { readonly body: AsyncIterable<Uint8Array> | null },
  maxBytes: number,
): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new RangeError(`it has more than ${maxBytes} bytes`);
    text += decode(decoder, part);
  }
  return text + decode(decoder);
}

function decode(decoder: InstanceType<typeof TextDecoder>, part?: Uint8Array): string {
  try {
    return decoder.decode(part, { stream: part !== undefined });
  } catch (error) {
    throw new SyntaxError('it is not valid UTF-8', { cause: error });
  }
}
