import type { CommandCall } from '../../command-call.ts';
import { oneLine } from '../../output/escape.ts';
import { requireRun } from '../../runs/find-run.ts';
import { reportChange, withJournal } from './with-journal.ts';

/** Cancels a run. One that runs is aborted by its worker. */
export function runsCancel(call: CommandCall): Promise<number> {
  return withJournal(call, async (db) => {
    const { id } = await requireRun(db, 'runs cancel', call.words[0]);
    const isDone = await db.cancel(id);
    const status = (await db.status(id))?.status ?? 'gone';
    const shown = oneLine(id, 80);
    const doing = status === 'cancelled' ? `cancelled: ${shown}` : `being cancelled: ${shown}; its worker aborts it.`;
    return reportChange(call, {
      isDone,
      about: { run: id, status },
      text: isDone ? doing : `The run "${shown}" is over already: it is ${status}.`,
    });
  });
}
