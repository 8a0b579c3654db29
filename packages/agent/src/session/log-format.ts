import { isUtf8 } from 'node:buffer';
import { isObject } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { readMessage } from '../history/read-message.ts';
import { toSuspendedCall } from '../history/suspended-calls.ts';
import type { SessionEntry } from './session.ts';

export interface ParsedLog {
  /** What was read, in order, with what could not be read between it. */
  readonly parts: readonly (SessionEntry | UnreadableLine)[];
  /** What is to be written before anything else: the rest of a header, or the end of the last line. Empty for most files. */
  readonly missing: string;
  /** The id in the header; undefined in a file of an earlier release, and where the header is damaged. */
  readonly id?: string;
}

/** A line that could not be read, or not as a whole. */
export interface UnreadableLine {
  readonly type: 'unreadable';
  /** Its number, from 1. */
  readonly line: number;
  /** What it is not, as in `is not valid JSON`. */
  readonly problem: string;
  /** True for a last line that was cut: its write was never confirmed, so the session opens without it in any case. */
  readonly isCut?: true;
  /** True for a line that was read, with U+FFFD for bytes that are not UTF-8: the session opens in any case. */
  readonly isRead?: true;
}

const VERSION = 1;
/** Stands for the id in the form of a header. */
const ID = '<id>';

/**
 * Reads a log. Throws `CONFIG_INVALID` for a file that is not a session and for a newer version. What a crash or an editor did to a session is a part of its own: a
 * line that is not an entry, NUL bytes, which stand for what was lost, bytes that are not UTF-8, and a last line that was cut. A byte order mark loses nothing, nor
 * does a last line that only lacks its end.
 */
export function parseLog(bytes: Uint8Array, path: string): ParsedLog {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (text !== '' && /^\0*$/.test(text)) return { parts: [unreadable(1, NOT_JSON)], missing: '' };
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  const [header, ...rest] = lines;
  if (header === undefined) return startLog(last, path);
  const isBroken = findBrokenLines(bytes);
  const end = last === '' ? [] : readLast(last, lines.length + 1, isBroken);
  const entries = [...rest.flatMap((line, index) => readLine(line, index + 2, isBroken, toEntry)), ...end];
  const first = readLine(header, 1, isBroken, (value) => (versionOf(value) === undefined ? undefined : value));
  const isDamaged = first.find((part) => isUnreadable(part));
  const known = first.find((part) => !isUnreadable(part));
  const version = versionOf(known);
  if (version !== undefined && version > VERSION)
    throw new KernelError(
      'CONFIG_INVALID',
      `${path} is a session of version ${version}; this program reads up to version ${VERSION}.`,
      { hint: 'Use a newer version of this program. The file was not changed.' },
    );
  if (version === undefined && entries.every((part) => isUnreadable(part))) throw notASession(path, isDamaged);
  const id = isObject(known) && typeof known['id'] === 'string' ? { id: known['id'] } : {};
  const parts = isDamaged === undefined ? entries : [isDamaged, ...entries];
  return { parts, missing: last === '' ? '' : '\n', ...id };
}

/** Whether a part of a log is a line that could not be read. */
export function isUnreadable(part: unknown): part is UnreadableLine {
  return isObject(part) && part['type'] === 'unreadable';
}

const NOT_JSON = 'is not valid JSON';

function unreadable(line: number, problem: string): UnreadableLine {
  return { type: 'unreadable', line, problem };
}

/** Whether a line, by its number, has bytes that are not UTF-8. */
type BrokenLines = (line: number) => boolean;

function findBrokenLines(bytes: Uint8Array): BrokenLines {
  const broken = new Set<number>();
  if (isUtf8(bytes)) return () => false;
  for (let start = 0, line = 1; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    if (!isUtf8(bytes.subarray(start, end))) broken.add(line);
    start = end + 1;
  }
  return (line) => broken.has(line);
}

/** Reads a line: what it holds, and before that what is wrong with it. `read` returns undefined for what it does not know. */
function readLine<Value>(
  line: string,
  number: number,
  isBroken: BrokenLines,
  read: (value: unknown) => Value | undefined,
): readonly (Value | UnreadableLine)[] {
  const withoutNul = line.replaceAll('\0', '');
  const lost = withoutNul === line ? [] : [unreadable(number, NOT_JSON)];
  const json = parseJson(withoutNul.replace(/^\uFEFF/, ''));
  const value = json === undefined ? undefined : read(json);
  if (value !== undefined && lost.length === 0 && isBroken(number))
    return [{ ...unreadable(number, 'has bytes that are not UTF-8'), isRead: true }, value];
  if (value !== undefined) return [...lost, value];
  return [unreadable(number, json === undefined ? NOT_JSON : 'is not a session entry')];
}

function readLast(line: string, number: number, isBroken: BrokenLines): readonly (SessionEntry | UnreadableLine)[] {
  const parts = readLine(line, number, isBroken, toEntry);
  const isCut = !line.includes('\0') && parts.some((part) => isUnreadable(part) && part.problem === NOT_JSON);
  return isCut ? [{ ...unreadable(number, 'is cut off'), isCut }] : parts;
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
function startLog(text: string, path: string): ParsedLog {
  const [before = '', after] = toLine({ session: VERSION, id: ID }).split(ID);
  const made: string = crypto.randomUUID();
  const written = text.slice(before.length, before.length + made.length);
  const id = written + made.slice(written.length);
  const header = `${before}${id}${after}`;
  const isCutHeader = text.startsWith(before) && header.startsWith(text) && /^[\da-f-]*$/.test(written);
  if (text !== '' && !isCutHeader) throw notASession(path);
  return { parts: [], missing: header.slice(text.length), id };
}

function notASession(path: string, first?: UnreadableLine): KernelError {
  const message =
    first?.problem === NOT_JSON
      ? `${path}:1 ${NOT_JSON}.`
      : `${path} is not a session: its first line is not {"session":${VERSION}}.`;
  return new KernelError('CONFIG_INVALID', message, { hint: 'The file was not changed.' });
}

export function toLine(value: SessionEntry | { readonly session: number; readonly id: string }): string {
  return `${JSON.stringify(value)}\n`;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function toEntry(value: unknown): SessionEntry | undefined {
  if (!isObject(value)) return undefined;
  const { type, message, callId } = value;
  const read = type === 'message' ? readMessage(message) : undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entry as it was written, with fields of a newer release
  if (read !== undefined) return (read === message ? value : { ...value, message: read }) as unknown as SessionEntry;
  const { calls } = value;
  if (type === 'suspended' && Array.isArray(calls) && calls.every((call) => toSuspendedCall(call).length === 1))
    return { type, calls: calls.flatMap(toSuspendedCall) };
  if (type === 'lost') return { type };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  return type === 'call-start' && typeof callId === 'string' ? (value as unknown as SessionEntry) : undefined;
}
