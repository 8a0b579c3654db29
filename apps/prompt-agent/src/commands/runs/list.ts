import type { WaitingCall } from '@kernel/durable';
import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { runJson, waitingJson } from '../../runs/run-json.ts';
import { ageOf } from '../../sessions/age.ts';
import { tableLines, terminalWidth } from '../../sessions/columns.ts';
import { listText } from '../../sessions/quantities.ts';
import { limitOf } from '../sessions/with-store.ts';
import { withJournal } from './with-journal.ts';

/** How many calls of a run the table names. */
const MAX_NAMED = 3;

/** Lists the runs of a journal, the latest first, with the calls that wait. */
export function runsList(call: CommandCall): Promise<number> {
  const { flags, host, output } = call;
  const limit = limitOf(flags.limit);
  return withJournal(call, async (db) => {
    const found = await db.list({ limit: limit === 0 ? Number.MAX_SAFE_INTEGER : limit + 1 });
    const runs = limit === 0 ? found : found.slice(0, limit);
    const calls = Map.groupBy(await db.waiting(), ({ runId }) => runId);
    const waitingOf = (id: string): readonly WaitingCall[] => calls.get(id) ?? [];
    if (flags.json === true) {
      const listed = runs.map((run) => ({ ...runJson(run), waiting: waitingOf(run.id).map(waitingJson) }));
      output.writeJson({ version: 1, runs: listed });
      return EXIT.answer;
    }
    if (runs.length === 0) output.note('There are no runs yet.');
    else {
      const columns = [
        { title: 'ID', cells: runs.map(({ id }) => id) },
        { title: 'AGENT', cells: runs.map(({ agent }) => agent), isFlexible: true },
        { title: 'STATUS', cells: runs.map(({ status }) => status) },
        { title: 'AGE', cells: runs.map(({ createdAt }) => ageOf(createdAt.getTime())) },
        { title: 'WAITING', cells: runs.map(({ id }) => namesOf(waitingOf(id))), isFlexible: true },
      ];
      // A column in which nothing stands is left out.
      const shown = columns.filter(({ cells }) => cells.some((cell) => cell !== ''));
      output.write(`${tableLines(shown, terminalWidth(host.stdout)).join('\n')}\n`);
    }
    if (found.length > runs.length) output.note('There are more: --limit 0 shows all.');
    return EXIT.answer;
  });
}

function namesOf(calls: readonly WaitingCall[]): string {
  return listText(
    calls.map(({ call, kind }) => call.name + (kind === 'unknown' ? ' (unknown)' : '')),
    MAX_NAMED,
  );
}
