import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { eventLine } from '../../runs/event-line.ts';
import { requireRun } from '../../runs/find-run.ts';
import { usageError } from '../../usage-error.ts';
import { withJournal } from './with-journal.ts';

/** Prints the events of a run, in order, a line each; with `--follow` until the run is over. */
export function runsEvents(call: CommandCall): Promise<number> {
  const { flags, words, output, signal } = call;
  const after = positionOf(flags.after);
  return withJournal(call, async (db) => {
    const { id } = await requireRun(db, 'runs events', words[0]);
    for await (const logged of db.events(id, { after, follow: flags.follow === true, signal })) {
      signal.throwIfAborted();
      if (flags.json === true) output.writeJson(logged);
      else output.write(`${eventLine(logged)}\n`);
      // A reader that is slower than the log holds it up.
      await output.settle();
    }
    return EXIT.answer;
  });
}

function positionOf(given: string | undefined): number {
  if (given !== undefined && !/^\d{1,15}$/.test(given))
    throw usageError(`--after "${given}" must be the position of an event: a whole number.`);
  return Number(given ?? 0);
}
