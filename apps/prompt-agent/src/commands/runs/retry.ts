import type { Durable } from '@kernel/durable';
import { KernelError } from '@kernel/protocol';
import type { CommandCall } from '../../command-call.ts';
import { oneLine } from '../../output/escape.ts';
import { requireRun } from '../../runs/find-run.ts';
import { usageError } from '../../usage-error.ts';
import { reportChange, withJournal } from './with-journal.ts';

/** Puts a run back into the queue that failed or is blocked. What is recorded of it is not repeated. */
export function runsRetry(call: CommandCall): Promise<number> {
  const version = call.flags['agent-version'];
  if (version === '') throw usageError('--agent-version needs a version of the agent.');
  return withJournal(call, async (db) => {
    const { id } = await requireRun(db, 'runs retry', call.words[0]);
    const isDone = await isRetried(db, id, version);
    const run = await db.status(id);
    const shown = oneLine(id, 80);
    return reportChange(call, {
      isDone,
      about: { run: id, status: run?.status, agentVersion: run?.version },
      text: isDone
        ? `queued: ${shown}, for a worker with version ${oneLine(run?.version ?? '', 80)} of ${oneLine(run?.agent ?? '', 80)}`
        : `The run "${shown}" is ${run?.status ?? 'gone'}: only one that failed or is blocked can be retried; with --agent-version, also a queued or waiting one.`,
    });
  });
}

/** Retries a run. Resolves to false if its status does not allow it. */
async function isRetried(db: Durable, id: string, version: string | undefined): Promise<boolean> {
  try {
    await db.retry(id, { version });
    return true;
  } catch (error) {
    if (KernelError.is(error, 'CONFIG_INVALID')) return false;
    throw error;
  }
}
