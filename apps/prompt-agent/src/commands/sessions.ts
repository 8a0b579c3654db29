import type { CommandCall } from '../command-call.ts';
import { stateFolder } from '../config/folders.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { writeResult } from '../files/write-result.ts';
import { SHOWN } from '../options/flags.ts';
import { oneLine, safeJson } from '../output/escape.ts';
import { ageOf } from '../output/quantities.ts';
import { writeColumns } from '../output/terminal/table.ts';
import { hasTerminal } from '../questions/ask.ts';
import { confirm } from '../questions/question.ts';
import { exportLines, readEvents } from '../sessions/export-session.ts';
import {
  countSessions,
  folderOf,
  lastOfFolder,
  listSessions,
  removeSessions,
  requireSession,
  searchSessions,
  sessionsBefore,
} from '../sessions/find-session.ts';
import { MAX_SEARCHED } from '../sessions/open-session.ts';
import { calledOf, recordJson, type SessionRecord, SHORT_ID, stateText } from '../sessions/session-record.ts';
import { openStore, type SessionStore, setAsideNote } from '../sessions/session-store.ts';
import { transcriptText } from '../sessions/transcript-text.ts';
import { toTranscript } from '../sessions/transcript.ts';

/** Runs a command on the file of sessions, and closes it. Where a damaged file was put is a note. */
export async function withStore(
  { host, output }: CommandCall,
  work: (store: SessionStore) => number | Promise<number>,
): Promise<number> {
  const store = openStore(stateFolder(host));
  try {
    if (store.damaged !== undefined) output.alert(setAsideNote(store.damaged));
    return await work(store);
  } finally {
    store.close();
  }
}

export function sessionsList(call: CommandCall): Promise<number> {
  const { flags, host, output } = call;
  const { limit = SHOWN } = flags;
  return withStore(call, (store) => {
    const records = store.use((database) => listSessions(database, limit));
    if (flags.json === true) {
      output.writeJson({ version: 1, sessions: records.map(recordJson) });
      return EXIT.answer;
    }
    const total = store.use(countSessions);
    if (total === 0) output.note('There are no sessions yet.');
    else
      writeColumns(call, [
        { title: 'ID', cells: records.map(({ id }) => id.slice(0, SHORT_ID)) },
        { title: 'USED', cells: records.map(({ changedMs }) => ageOf(changedMs)) },
        { title: 'STATE', cells: records.map((record) => stateText(record, (mark) => store.isRunning(mark))) },
        { title: 'NAME', cells: records.map(({ name = '' }) => name), isFlexible: true },
        { title: 'MODEL', cells: records.map(({ model }) => model), isFlexible: true },
        { title: 'FOLDER', cells: records.map(({ folder }) => shortFolder(folder, host.home)), isFlexible: true },
        { title: 'PROMPT', cells: records.map(({ title }) => title), isFlexible: true },
      ]);
    const left = total - records.length;
    if (left > 0) output.note(`${left} more: --limit 0 shows all.`);
    return EXIT.answer;
  });
}

function shortFolder(folder: string, home: string): string {
  return folder === home ? '~' : folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}

function lineOf({ id, name, title }: SessionRecord): string {
  const called = name === undefined ? '' : `${oneLine(name, 64)}: `;
  return `${id.slice(0, SHORT_ID)}  ${called}${oneLine(title, 80)}`;
}

/** Shows a session, the last one of this folder if none is named: for people, as JSON, or as a page. */
export function sessionsShow(call: CommandCall): Promise<number> {
  const { flags, words, host } = call;
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
      const { sessionPage } = await import('../output/html/session-page.ts');
      await writeResult(call, sessionPage(transcript));
    } else await writeResult(call, transcriptText(transcript));
    return EXIT.answer;
  });
}

const MAX_SNIPPET = 300;

/** Finds sessions by what was asked, answered and called in them: those that fit best first, each with the text around the words. */
export function sessionsSearch(call: CommandCall): Promise<number> {
  const { flags, words, output } = call;
  const text = words.join(' ');
  if (text.trim() === '') throw usageError('sessions search needs the words to look for.');
  const { limit = SHOWN } = flags;
  return withStore(call, (store) => {
    const found = store.use((database) => searchSessions(database, text, limit));
    if (flags.json === true) {
      const sessions = found.map(({ session, count, snippet }) => ({ ...recordJson(session), count, snippet }));
      output.writeJson({ version: 1, sessions });
      return EXIT.answer;
    }
    for (const { session, count, snippet } of found) {
      const times = count === 1 ? '' : `, ${count} messages`;
      output.write(`${lineOf(session)} (${ageOf(session.changedMs)} ago${times})\n`);
      output.write(`          ${oneLine(snippet, MAX_SNIPPET)}\n`);
    }
    if (found.length === 0)
      output.note(
        `Nothing was found in what was asked, answered and called; of a long text the first ${MAX_SEARCHED} characters count.`,
      );
    return EXIT.answer;
  });
}

export function sessionsExport(call: CommandCall): Promise<number> {
  const [given] = call.words;
  if (given === undefined) throw usageError('sessions export needs a session: its name, or the beginning of its id.');
  return withStore(call, async (store) => {
    const lines = store.use((database) => exportLines(database, requireSession(database, given)));
    await writeResult(call, lines.map((line) => `${safeJson(line)}\n`).join(''));
    return EXIT.answer;
  });
}

/** Removes sessions, after a question on the terminal. One that another process has open stays. */
export function sessionsRm(call: CommandCall): Promise<number> {
  const { flags, words, host, output, signal } = call;
  const age = flags['older-than'];
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
      const lines = removed.map((each) => `${lineOf(each)} (last used ${ageOf(each.changedMs)} ago)`);
      const question = `Remove ${countText(removed.length)} for good?`;
      if (!(await confirm(host, output, lines, question, signal))) {
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

function countText(count: number): string {
  return `${count} ${count === 1 ? 'session' : 'sessions'}`;
}
