import { isObject } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { toSuspendedCall } from '../history/suspended-calls.ts';
import type { SessionEntry } from './session.ts';

/** The contents of a log file. */
export interface ParsedLog {
  /** The entries, in order. */
  readonly entries: readonly SessionEntry[];
  /** The length of the complete lines, in bytes; a crash cut off what follows. */
  readonly byteLength: number;
  /** Whether the file has no header yet. */
  readonly isNew: boolean;
  /** The id in the header; undefined in a new file and in one of an earlier release. */
  readonly id?: string;
}

/** The version that this code reads and writes. */
const VERSION = 1;

/** Reads a log. Throws `CONFIG_INVALID` for a newer version, and for a line that is not an entry, with its number. */
export function parseLog(text: string, path: string): ParsedLog {
  const end = text.lastIndexOf('\n') + 1;
  const lines = text.slice(0, end).split('\n').slice(0, -1);
  const [header, ...rest] = lines;
  if (header === undefined) return { entries: [], byteLength: 0, isNew: true };
  const first = parseLine(header, path, 1);
  const version = isObject(first) ? first['session'] : undefined;
  if (typeof version !== 'number')
    throw new KernelError('CONFIG_INVALID', `${path} is not a session: its first line is not {"session":${VERSION}}.`);
  if (version > VERSION)
    throw new KernelError(
      'CONFIG_INVALID',
      `${path} is a session of version ${version}; this program reads up to version ${VERSION}.`,
      { hint: 'Use a newer version of this program. The file was not changed.' },
    );
  const entries = rest.map((line, index) => toEntry(parseLine(line, path, index + 2), path, index + 2));
  const id = isObject(first) && typeof first['id'] === 'string' ? { id: first['id'] } : {};
  return { entries, byteLength: Buffer.byteLength(text.slice(0, end)), isNew: false, ...id };
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
    if (type === 'message' && isObject(message) && typeof message['role'] === 'string' && 'content' in message)
      // eslint-disable-next-line typescript/no-unsafe-type-assertion -- checked as far as a history needs it; repairHistory does the rest
      return value as unknown as SessionEntry;
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
