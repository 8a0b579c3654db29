import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { safeJson } from '../../output/escape.ts';
import { exportLines } from '../../sessions/export-session.ts';
import { requireSession } from '../../sessions/find-session.ts';
import { usageError } from '../../usage-error.ts';
import { withStore } from './with-store.ts';
import { writeResult } from './write-result.ts';

/** Writes a whole session as lines of JSON. */
export function sessionsExport(call: CommandCall): Promise<number> {
  const [given] = call.words;
  if (given === undefined) throw usageError('sessions export needs a session: its name, or the beginning of its id.');
  return withStore(call, async (store) => {
    const lines = store.use((database) => exportLines(database, requireSession(database, given)));
    await writeResult(call, lines.map((line) => `${safeJson(line)}\n`).join(''));
    return EXIT.answer;
  });
}
