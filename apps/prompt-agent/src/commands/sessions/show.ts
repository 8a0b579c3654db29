import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { safeJson } from '../../output/escape.ts';
import { readEvents } from '../../sessions/export-session.ts';
import { folderOf, lastOfFolder, requireSession } from '../../sessions/find-session.ts';
import { recordJson } from '../../sessions/record-json.ts';
import { toTranscript } from '../../sessions/transcript.ts';
import { transcriptText } from '../../sessions/transcript-text.ts';
import { usageError } from '../../usage-error.ts';
import { withStore } from './with-store.ts';
import { writeResult } from './write-result.ts';

/** Shows a session, the last one of this folder if none is named: for people, as JSON, or as a page. */
export function sessionsShow(call: CommandCall): Promise<number> {
  const { flags, words, host } = call;
  if (flags.json === true && flags.html === true) throw usageError('--json and --html exclude each other.');
  return withStore(call, async (store) => {
    const [given] = words;
    const transcript = store.use((database) => {
      const record = given === undefined ? lastOfFolder(database, folderOf(host.cwd)) : requireSession(database, given);
      if (record === undefined)
        throw usageError('There is no session of this folder. Name one of prompt-agent sessions list.');
      const events = readEvents(database, record.number);
      const lost = events.filter(({ event }) => Object.keys(event).length === 0).length;
      if (lost > 0)
        call.output.alert(`note: ${lost} of ${events.length} events of this session cannot be read and are left out.`);
      return toTranscript(record, events);
    });
    if (flags.json === true) {
      const { session, runs } = transcript;
      await writeResult(call, `${safeJson({ version: 1, ...recordJson(session), runs }, 2)}\n`);
    } else if (flags.html === true) {
      const { sessionPage } = await import('../../output/html/session-page.ts');
      await writeResult(call, sessionPage(transcript));
    } else await writeResult(call, transcriptText(transcript));
    return EXIT.answer;
  });
}
