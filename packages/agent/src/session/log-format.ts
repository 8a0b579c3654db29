import { KernelError } from '@kernel/protocol';
import type { SessionEntry } from './session.ts';

/** What a log file holds. */
export interface ParsedLog {
  readonly entries: readonly SessionEntry[];
  /** The length of the whole lines, in bytes; what follows was torn by a crash. */
  readonly soundBytes: number;
  /** The file has no header yet. */
  readonly isNew: boolean;
}

/** The version that this code writes and reads. */
const VERSION = 1;

/** Reads a log. Throws `CONFIG_INVALID` for another version, or a line that is no entry, with its number. */
export function parseLog(text: string, path: string): ParsedLog {
  const end = text.lastIndexOf('\n') + 1;
  const lines = text.slice(0, end).split('\n').slice(0, -1);
  const [header, ...rest] = lines;
  if (header === undefined) return { entries: [], soundBytes: 0, isNew: true };
  const first = parseLine(header, path, 1);
  const version = isRecord(first) ? first['session'] : undefined;
  if (typeof version !== 'number')
    throw new KernelError('CONFIG_INVALID', `${path} is no session: its first line is not {"session":${VERSION}}.`);
  if (version > VERSION)
    throw new KernelError(
      'CONFIG_INVALID',
      `${path} is a session of version ${version}; this reads up to ${VERSION}.`,
      {
        hint: 'Use a newer version of this program. The file was left as it is.',
      },
    );
  const entries = rest.map((line, index) => toEntry(parseLine(line, path, index + 2), path, index + 2));
  return { entries, soundBytes: Buffer.byteLength(text.slice(0, end)), isNew: false };
}

/** One line of a log. */
export function toLine(value: SessionEntry | { readonly session: number }): string {
  return `${JSON.stringify(value)}\n`;
}

function parseLine(line: string, path: string, number: number): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return value;
  } catch (error) {
    throw new KernelError('CONFIG_INVALID', `${path}:${number} is no JSON.`, {
      hint: 'The file was left as it is.',
      cause: error,
    });
  }
}

function toEntry(value: unknown, path: string, number: number): SessionEntry {
  if (isRecord(value)) {
    const { type, message, callId } = value;
    if (type === 'message' && isRecord(message) && typeof message['role'] === 'string' && 'content' in message)
      // eslint-disable-next-line typescript/no-unsafe-type-assertion -- checked as far as a history needs it; repairHistory does the rest
      return value as unknown as SessionEntry;
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    if (type === 'call-start' && typeof callId === 'string') return value as unknown as SessionEntry;
  }
  throw new KernelError('CONFIG_INVALID', `${path}:${number} is no entry of a session.`, {
    hint: 'The file was left as it is.',
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
