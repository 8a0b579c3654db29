import { open, rename } from 'node:fs/promises';
import { KernelError } from '@kernel/protocol';
import { isUnreadable, type ParsedLog, toLine, type UnreadableLine } from './log-format.ts';
import type { SessionEntry } from './session.ts';

/** What could not be read of a session. */
export interface SessionDamage {
  /** What is missing, in a sentence that names the lines and the copy. */
  readonly message: string;
  /** The numbers of the lines that could not be read, or not as a whole, from 1. */
  readonly lines: readonly number[];
  /** The path of the copy that has everything the file held. */
  readonly copy: string;
}

const MAX_NAMED = 10;

export function damageError(path: string, [first, ...others]: readonly UnreadableLine[]): KernelError {
  const more =
    others.length === 0 ? '' : ` ${others.length} more ${others.length === 1 ? 'line' : 'lines'} cannot be read.`;
  return new KernelError('CONFIG_INVALID', `${path}:${first?.line ?? 1} ${first?.problem ?? 'is damaged'}.${more}`, {
    hint: 'The file was not changed. To open it without these lines, pass onDamage, or run: prompt-agent sessions repair FILE. A copy keeps them.',
  });
}

/** Moves a damaged log to a copy beside it, puts what could be read in its place, and returns what is missing. */
export async function replaceDamagedLog(path: string, bytes: Uint8Array, log: ParsedLog): Promise<SessionDamage> {
  const lines = [...new Set(log.parts.flatMap((part) => (isUnreadable(part) ? [part.line] : [])))];
  const copy = `${path}.damaged-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}-${crypto.randomUUID().slice(0, 8)}`;
  await writeNew(copy, bytes);
  const id = log.id ?? crypto.randomUUID();
  const readable = `${path}.${crypto.randomUUID()}.new`;
  await writeNew(readable, [{ session: 1, id }, ...entriesOf(log)].map(toLine).join(''));
  await rename(readable, path);
  const named = lines.slice(0, MAX_NAMED).join(', ');
  const more = lines.length > MAX_NAMED ? ` and ${lines.length - MAX_NAMED} more` : '';
  const what = `line${lines.length === 1 ? '' : 's'} ${named}${more}`;
  const isAllRead = log.parts.every((part) => !isUnreadable(part) || part.isRead === true);
  const effect = isAllRead
    ? `${what} ${lines.length === 1 ? 'has' : 'have'} bytes that are not UTF-8, which are U+FFFD in the conversation`
    : `${what} could not be read and ${lines.length === 1 ? 'is' : 'are'} missing from the conversation`;
  const message = `The session ${path} was damaged: ${effect}. ${copy} is a copy of the whole file.`;
  return { message, lines, copy };
}

/** The entries of a log, with one that says so where something could not be read. */
function entriesOf({ parts }: ParsedLog): readonly SessionEntry[] {
  const lost = parts.filter((part) => !isUnreadable(part) || part.isRead !== true);
  return lost.flatMap((part, index) =>
    isUnreadable(part) ? (isUnreadable(lost[index - 1]) ? [] : [{ type: 'lost' as const }]) : [part],
  );
}

async function writeNew(path: string, content: Uint8Array | string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
