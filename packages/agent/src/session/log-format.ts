import { isObject } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { readMessage } from '../history/read-message.ts';
import { toSuspendedCall } from '../history/suspended-calls.ts';
import type { SessionEntry } from './session.ts';

/** The contents of a log file. */
export interface ParsedLog {
  /** The entries, in order. */
  readonly entries: readonly SessionEntry[];
  /** The length of the complete lines, in bytes; a crash cut off what follows. */
  readonly byteLength: number;
  /** What is missing of the header; empty for a file that has it. */
  readonly header: string;
  /** The id in the header; undefined in a file of an earlier release. */
  readonly id?: string;
}

/** The version that this code reads and writes. */
const VERSION = 1;
const NEWLINE = 10;
/** Stands for the id in the form of a header. */
const ID = '<id>';
/** More bytes than a header has. */
const MAX_HEADER = 100;

/**
 * Reads a log. Throws `CONFIG_INVALID` for a file that does not begin as a session, for a newer version, and for a line that is not an entry,
 * with its number. Bytes are counted before they are decoded: a byte that is not UTF-8 would count as three.
 */
export function parseLog(bytes: Uint8Array, path: string): ParsedLog {
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, end));
  const lines = text.split('\n').slice(0, -1);
  const [header, ...rest] = lines;
  if (header === undefined) return startLog(bytes, path);
  const first = parseLine(header, path, 1);
  const version = versionOf(first);
  if (version === undefined) throw notASession(path);
  if (version > VERSION)
    throw new KernelError(
      'CONFIG_INVALID',
      `${path} is a session of version ${version}; this program reads up to version ${VERSION}.`,
      { hint: 'Use a newer version of this program. The file was not changed.' },
    );
  const entries = rest.map((line, index) => toEntry(parseLine(line, path, index + 2), path, index + 2));
  const id = isObject(first) && typeof first['id'] === 'string' ? { id: first['id'] } : {};
  return { entries, byteLength: end, header: '', ...id };
}

/** The version in a header; undefined for any other line. A newer release may add fields, this one and earlier ones have none but an id. */
function versionOf(line: unknown): number | undefined {
  if (!isObject(line)) return undefined;
  const { session, id, ...rest } = line;
  if (typeof session !== 'number' || !Number.isInteger(session) || session < 1) return undefined;
  if (session > VERSION) return session;
  return Object.keys(rest).length === 0 && (id === undefined || typeof id === 'string') ? session : undefined;
}

/**
 * The log of a file without a whole line: an empty one, or one whose header a crash cut off, which is completed and not cut. A header that
 * was cut before its id could be the beginning of any JSON file, and is not taken for ours.
 */
function startLog(bytes: Uint8Array, path: string): ParsedLog {
  const [before = '', after] = toLine({ session: VERSION, id: ID }).split(ID);
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_HEADER));
  const made: string = crypto.randomUUID();
  const written = text.slice(before.length, before.length + made.length);
  const id = written + made.slice(written.length);
  const header = `${before}${id}${after}`;
  const isCutHeader = text.startsWith(before) && header.startsWith(text) && /^[\da-f-]*$/.test(written);
  if (bytes.length >= MAX_HEADER || (text !== '' && !isCutHeader)) throw notASession(path);
  return { entries: [], byteLength: bytes.length, header: header.slice(text.length), id };
}

function notASession(path: string): KernelError {
  return new KernelError('CONFIG_INVALID', `${path} is not a session: its first line is not {"session":${VERSION}}.`, {
    hint: 'The file was not changed.',
  });
}

/** Returns an entry, or the header, as one line of a log. */
export function toLine(value: SessionEntry | { readonly session: number; readonly id: string }): string {
  return `${JSON.stringify(value)}\n`;
}

function parseLine(line: string, path: string, number: number): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return value;
  } catch (error) {
    throw new KernelError('CONFIG_INVALID', `${path}:${number} is not valid JSON.`, {
      hint: 'The file was not changed.',
      cause: error,
    });
  }
}

function toEntry(value: unknown, path: string, number: number): SessionEntry {
  if (isObject(value)) {
    const { type, message, callId } = value;
    const read = type === 'message' ? readMessage(message) : undefined;
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the entry as it was written, with fields of a newer release
    if (read !== undefined) return (read === message ? value : { ...value, message: read }) as unknown as SessionEntry;
    const { calls } = value;
    if (type === 'suspended' && Array.isArray(calls) && calls.every((call) => toSuspendedCall(call).length === 1))
      return { type, calls: calls.flatMap(toSuspendedCall) };
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    if (type === 'call-start' && typeof callId === 'string') return value as unknown as SessionEntry;
  }
  throw new KernelError('CONFIG_INVALID', `${path}:${number} is not a session entry.`, {
    hint: 'The file was not changed.',
  });
}
