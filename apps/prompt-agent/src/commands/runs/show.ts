import type { LogEvent } from '@kernel/durable';
import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { requireRun } from '../../runs/find-run.ts';
import { resultJson, runJson, waitingJson } from '../../runs/run-json.ts';
import { runText } from '../../runs/run-text.ts';
import { terminalWidth } from '../../sessions/columns.ts';
import { commandsOf } from '../../sessions/transcript.ts';
import { usageError } from '../../usage-error.ts';
import { writeResult } from '../sessions/write-result.ts';
import { withJournal } from './with-journal.ts';

/** Shows a run: its status, its answer or error, and its waiting calls; with `--html` everything that happened, as a page. */
export function runsShow(call: CommandCall): Promise<number> {
  const { flags, words, output } = call;
  if (flags.json === true && flags.html === true) throw usageError('--json and --html exclude each other.');
  if (flags.output !== undefined && flags.html !== true) throw usageError('--output needs --html.');
  return withJournal(call, async (db) => {
    const run = await requireRun(db, 'runs show', words[0]);
    const waiting = await db.waiting(run.id);
    const input = await db.input(run.id);
    const commands = commandsOf(input?.input);
    if (flags.html === true) {
      const { runPage } = await import('../../runs/run-page.ts');
      const events: LogEvent[] = [];
      for await (const event of db.events(run.id, { follow: false })) events.push(event);
      await writeResult(call, runPage({ run, messages: input?.messages ?? [], commands, events, waiting }));
    } else if (flags.json === true)
      output.writeJson({ version: 1, ...runJson(run), waiting: waiting.map(waitingJson), ...resultJson(run) });
    else output.write(runText(run, waiting, { commands, columns: terminalWidth(call.host.stdout) }));
    return EXIT.answer;
  });
}
