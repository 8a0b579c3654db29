import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { canonicalJson, isObject, errorMessage } from '@kernel/internal';
import {
  type EmbedRequest,
  type JsonObject,
  type JsonValue,
  KernelError,
  type ProviderEvent,
  type ProviderRequest,
  type TranscribeRequest,
} from '@kernel/protocol';
import { type Sanitizer, toJson } from './sanitizer.ts';

/** Recorded exchanges, as readable JSON. */
export interface Cassette {
  /** The version of the format. */
  readonly version: 1;
  /** The exchanges in the order of recording. */
  readonly entries: readonly CassetteEntry[];
}

/** One recorded exchange: its events or its result, and what was thrown. */
export interface CassetteEntry {
  /** Which member of the provider was called. */
  readonly kind: 'stream' | 'countTokens' | 'embed' | 'transcribe';
  /** The request without its signal. Audio is replaced by its SHA-256. */
  readonly request: JsonObject;
  /** The events of a stream. */
  readonly events?: readonly ProviderEvent[];
  /** The result of `countTokens`, `embed` or `transcribe`. */
  readonly result?: JsonValue;
  /** The error, after the events if there were any. */
  readonly error?: JsonObject;
}

export type AnyRequest = ProviderRequest | EmbedRequest | TranscribeRequest;

/** Reads a cassette from a file. Throws `CONFIG_INVALID` for a file that is missing or not a cassette. */
export async function readCassette(path: string): Promise<Cassette> {
  const hint = 'Record one with withRecorder(provider, path).';
  let value: unknown;
  try {
    value = JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new KernelError('CONFIG_INVALID', `The cassette "${path}" cannot be read.`, { cause, hint });
  }
  if (!isCassette(value))
    throw new KernelError('CONFIG_INVALID', `"${path}" is not a cassette of version 1.`, { hint });
  return value;
}

export async function writeCassette(path: string, entries: readonly CassetteEntry[]): Promise<void> {
  const cassette: Cassette = { version: 1, entries };
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${JSON.stringify(cassette, null, 2)}\n`);
  } catch (cause) {
    const why = errorMessage(cause);
    const hint = 'Check the folder, its permissions and the space on the disk.';
    throw new KernelError('STORE_FAILED', `The cassette "${path}" could not be written: ${why}`, { hint, cause });
  }
}

/** Equal requests have equal text. */
export function toRecorded(request: AnyRequest, sanitizer: Sanitizer): JsonObject {
  const { signal: _, ...plain } = request;
  const json = 'audio' in plain ? { ...plain, audio: audioOf(plain.audio) } : plain;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a request is an object
  return JSON.parse(canonicalJson(sanitizer.value(toJson(json)))) as JsonObject;
}

function audioOf(audio: TranscribeRequest['audio']): JsonObject {
  const { data, mimeType, name } = audio;
  return { name, mimeType, bytes: data.length, sha256: createHash('sha256').update(data).digest('hex') };
}

function isCassette(value: unknown): value is Cassette {
  return (
    isObject(value) && value['version'] === 1 && Array.isArray(value['entries']) && value['entries'].every(isEntry)
  );
}

function isEntry(value: unknown): boolean {
  if (!isObject(value) || !isObject(value['request'])) return false;
  const { error, events, kind, result } = value;
  if (kind === 'stream') return Array.isArray(events) || isObject(error);
  return (kind === 'countTokens' || kind === 'embed' || kind === 'transcribe') && (isObject(result) || isObject(error));
}
