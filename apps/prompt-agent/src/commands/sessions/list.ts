import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { ageOf } from '../../sessions/age.ts';
import { tableLines, terminalWidth } from '../../sessions/columns.ts';
import { countSessions, listSessions } from '../../sessions/list-sessions.ts';
import { recordJson } from '../../sessions/record-json.ts';
import { SHORT_ID } from '../../sessions/session-record.ts';
import { stateText } from '../../sessions/state-text.ts';
import { limitOf, withStore } from './with-store.ts';

/** Lists the sessions, the one that was last used first. */
export function sessionsList(call: CommandCall): Promise<number> {
  const { flags, host, output } = call;
  const limit = limitOf(flags.limit);
  return withStore(call, (store) => {
    const records = store.use((database) => listSessions(database, limit));
    if (flags.json === true) {
      output.writeJson({ version: 1, sessions: records.map(recordJson) });
      return EXIT.answer;
    }
    const total = store.use(countSessions);
    if (total === 0) output.note('There are no sessions yet.');
    else {
      const columns = [
        { title: 'ID', cells: records.map(({ id }) => id.slice(0, SHORT_ID)) },
        { title: 'USED', cells: records.map(({ changedMs }) => ageOf(changedMs)) },
        { title: 'STATE', cells: records.map((record) => stateText(record, (mark) => store.isRunning(mark))) },
        { title: 'NAME', cells: records.map(({ name = '' }) => name), isFlexible: true },
        { title: 'MODEL', cells: records.map(({ model }) => model), isFlexible: true },
        { title: 'FOLDER', cells: records.map(({ folder }) => shortFolder(folder, host.home)), isFlexible: true },
        { title: 'PROMPT', cells: records.map(({ title }) => title), isFlexible: true },
      ];
      // A column in which nothing stands is left out.
      const shown = columns.filter(({ cells }) => cells.some((cell) => cell !== ''));
      output.write(`${tableLines(shown, terminalWidth(host.stdout)).join('\n')}\n`);
    }
    const left = total - records.length;
    if (left > 0) output.note(`${left} more: --limit 0 shows all.`);
    return EXIT.answer;
  });
}

function shortFolder(folder: string, home: string): string {
  return folder === home ? '~' : folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}
