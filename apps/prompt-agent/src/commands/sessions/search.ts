import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { oneLine } from '../../output/escape.ts';
import { ageOf } from '../../sessions/age.ts';
import { MAX_SEARCHED } from '../../sessions/open-session.ts';
import { recordJson } from '../../sessions/record-json.ts';
import { searchSessions } from '../../sessions/search-sessions.ts';
import { SHORT_ID } from '../../sessions/session-record.ts';
import { usageError } from '../../usage-error.ts';
import { limitOf, withStore } from './with-store.ts';

const MAX_SNIPPET = 300;

/** Finds sessions by what was asked, answered and called in them: those that fit best first, each with the text around the words. */
export function sessionsSearch(call: CommandCall): Promise<number> {
  const { flags, words, output } = call;
  const text = words.join(' ');
  if (text.trim() === '') throw usageError('sessions search needs the words to look for.');
  const limit = limitOf(flags.limit);
  return withStore(call, (store) => {
    const found = store.use((database) => searchSessions(database, text, limit));
    if (flags.json === true) {
      const sessions = found.map(({ session, count, snippet }) => ({ ...recordJson(session), count, snippet }));
      output.writeJson({ version: 1, sessions });
      return EXIT.answer;
    }
    for (const { session, count, snippet } of found) {
      const { id, name, changedMs, title } = session;
      const called = name === undefined ? '' : `${oneLine(name, 64)}: `;
      const times = count === 1 ? '' : `, ${count} messages`;
      output.write(`${id.slice(0, SHORT_ID)}  ${called}${oneLine(title, 80)} (${ageOf(changedMs)} ago${times})\n`);
      output.write(`          ${oneLine(snippet, MAX_SNIPPET)}\n`);
    }
    if (found.length === 0)
      output.note(
        `Nothing was found in what was asked, answered and called; of a long text the first ${MAX_SEARCHED} characters count.`,
      );
    return EXIT.answer;
  });
}
