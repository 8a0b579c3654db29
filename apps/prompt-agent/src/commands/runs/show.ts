import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { requireRun } from '../../runs/find-run.ts';
import { resultJson, runJson, waitingJson } from '../../runs/run-json.ts';
import { runText } from '../../runs/run-text.ts';
import { withJournal } from './with-journal.ts';

/** Shows a run: its status, its answer or error, and what waits. */
export function runsShow(call: CommandCall): Promise<number> {
  const { flags, words, output } = call;
  return withJournal(call, async (db) => {
    const run = await requireRun(db, 'runs show', words[0]);
    const waiting = await db.waiting(run.id);
    if (flags.json === true)
      output.writeJson({ version: 1, ...runJson(run), waiting: waiting.map(waitingJson), ...resultJson(run) });
    else output.write(runText(run, waiting));
    return EXIT.answer;
  });
}
