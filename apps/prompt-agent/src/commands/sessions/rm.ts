import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { oneLine } from '../../output/escape.ts';
import { ageOf, parseAge } from '../../sessions/age.ts';
import { requireSession } from '../../sessions/find-session.ts';
import { removeSessions, sessionsBefore } from '../../sessions/remove-sessions.ts';
import { calledOf, type SessionRecord, SHORT_ID } from '../../sessions/session-record.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import { hasTerminal } from '../../questions/ask.ts';
import { confirm } from '../../questions/confirm.ts';
import { usageError } from '../../usage-error.ts';
import { withStore } from './with-store.ts';

/** Removes sessions, after a question on the terminal. One that another process has open stays. */
export function sessionsRm(call: CommandCall): Promise<number> {
  const { flags, words, host, output, signal } = call;
  const age = flags['older-than'] === undefined ? undefined : parseAge('--older-than', flags['older-than']);
  if (words.length === 0 && age === undefined)
    throw usageError('sessions rm needs sessions, by id or name, or --older-than AGE.');
  if (words.length > 0 && age !== undefined) throw usageError('sessions rm takes sessions or --older-than, not both.');
  return withStore(call, async (store) => {
    const chosen = chooseSessions(store, words, age);
    const open = chosen.filter(({ writer }) => writer !== undefined && store.isRunning(writer));
    for (const record of open)
      output.note(`${oneLine(calledOf(record), 80)} is open in process ${record.writerPid ?? 0}, and stays.`);
    const removed = chosen.filter((record) => !open.includes(record));
    if (removed.length === 0) {
      output.note('Nothing was removed.');
      return open.length > 0 ? EXIT.failed : EXIT.answer;
    }
    if (flags.force !== true) {
      if (!hasTerminal(host))
        throw usageError(`There is no terminal to ask on. With --force ${countText(removed.length)} would be removed.`);
      const question = `Remove ${countText(removed.length)} for good?`;
      if (!(await confirm(host, output, removed.map(lineOf), question, signal))) {
        output.note('Nothing was removed.');
        return EXIT.failed;
      }
    }
    const count = store.use((database) => removeSessions(database, removed));
    output.note(`removed: ${countText(count)}`);
    return count < chosen.length ? EXIT.failed : EXIT.answer;
  });
}

function chooseSessions(
  store: SessionStore,
  words: readonly string[],
  age: number | undefined,
): readonly SessionRecord[] {
  return store.use((database) => {
    if (age !== undefined) return sessionsBefore(database, Date.now() - age);
    const chosen = new Map(words.map((word) => requireSession(database, word)).map((record) => [record.id, record]));
    return [...chosen.values()];
  });
}

function lineOf(record: SessionRecord): string {
  const { id, name, changedMs, title } = record;
  const called = name === undefined ? '' : `${oneLine(name, 64)}: `;
  return `${id.slice(0, SHORT_ID)}  ${called}${oneLine(title, 80)} (last used ${ageOf(changedMs)} ago)`;
}

function countText(count: number): string {
  return `${count} ${count === 1 ? 'session' : 'sessions'}`;
}
