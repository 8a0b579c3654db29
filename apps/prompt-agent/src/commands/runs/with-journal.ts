import type { Durable } from '@kernel/durable';
import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { journalPath, openJournal } from '../../runs/open-journal.ts';
import { usageError } from '../../usage-error.ts';

/** Runs a command on the journal of `--journal`, else on that of the state folder, and closes it. */
export async function withJournal<T>(
  { flags, host }: Pick<CommandCall, 'flags' | 'host'>,
  work: (db: Durable) => T | Promise<T>,
): Promise<T> {
  if (flags.journal === '') throw usageError('--journal needs the path of a file.');
  const db = await openJournal(journalPath(flags, host));
  try {
    return await work(db);
  } finally {
    db.close();
  }
}

/** What came of a command that changes a run. */
export interface Change {
  /** Whether it had an effect. */
  readonly isDone: boolean;
  /** What it was about, for `--json`. */
  readonly about: object;
  /** What happened, or why nothing did: a line for people. */
  readonly text: string;
}

/** Reports a change: as JSON on stdout, else as a note. Returns the exit code, which tells whether it had an effect. */
export function reportChange({ flags, output }: CommandCall, { isDone, about, text }: Change): number {
  const exitCode = isDone ? EXIT.answer : EXIT.failed;
  if (flags.json === true) output.writeJson({ version: 1, ...about, isDone, exitCode });
  else if (isDone) output.note(text);
  else output.alert(`prompt-agent: ${text}`);
  return exitCode;
}
