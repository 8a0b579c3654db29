import type { Session, SessionEntry } from '@kernel/agent';
import type { TokenPrices } from '@kernel/agent/config';
import { type Redactor, sliceHead } from '@kernel/internal';
import { KernelError, type Message, textOf, toolCallsOf, type Usage } from '@kernel/protocol';
import { costOf } from '@kernel/providers';
import { type Database, transaction } from './database/load-sqlite.ts';
import { entriesOf, jsonIn, newId } from './database/rows.ts';
import { fieldsOf, numberOf } from './event-fields.ts';
import type { SessionEvent } from './session-event.ts';
import { calledOf, RECORD_COLUMNS, type SessionRecord, SHORT_ID, toRecord } from './session-record.ts';
import type { SessionStore } from './session-store.ts';

export interface SessionUse {
  readonly provider: string;
  readonly model: string;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly redactor: Redactor;
  readonly prices: TokenPrices | undefined;
}

/** What a session has used so far. */
export interface SessionUsage {
  /** What its last reply used; undefined where there is none, or none that told it. */
  readonly lastReply: Pick<Usage, 'inputTokens' | 'outputTokens'> | undefined;
  /** In US dollars, with agents below; undefined where no prices were known. */
  readonly cost: number | undefined;
}

/** A session that this process alone writes to. */
export interface OpenSession extends Session {
  /** Writes an event of the run. Throws as `append` rejects. */
  write(event: SessionEvent): void;
  /** Puts entries in place of all that the session has. */
  replace(entries: readonly SessionEntry[]): Promise<void>;
  /** What it has used so far. Rejects as `append` does. */
  usage(): Promise<SessionUsage>;
}

export const MAX_SEARCHED = 100_000;
const MAX_TITLE = 200;

export function beginSession(
  store: SessionStore,
  folder: string,
  name: string | undefined,
  use: SessionUse,
  id: string = store.use(newId),
): OpenSession {
  const now = Date.now();
  const number = store.use((database) =>
    transaction(database, () => {
      const { lastInsertRowid } = database
        .prepare(
          `INSERT INTO sessions (id, name, folder, provider, model, flags, created_ms, changed_ms, writer, writer_pid, state)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')`,
        )
        .run(id, name ?? null, folder, ...useColumns(use), now, now, store.ownMark(), process.pid);
      return Number(lastInsertRowid);
    }),
  );
  return openSession(store, number, id, use);
}

/** Opens a session that there is. Throws `SESSION_LOCKED` while another process has it open; one that has ended is taken over from. */
export function resumeSession(store: SessionStore, { number, id }: SessionRecord, use: SessionUse): OpenSession {
  store.use((database) =>
    transaction(database, () => {
      const row = database.prepare(`SELECT ${RECORD_COLUMNS} FROM sessions WHERE number = ?`).get(number);
      const record = row === undefined ? undefined : toRecord(row);
      if (record?.writer !== undefined && store.isRunning(record.writer)) throw lockedError(record);
      database
        .prepare('UPDATE sessions SET provider = ?, model = ?, flags = ?, writer = ?, writer_pid = ? WHERE number = ?')
        .run(...useColumns(use), store.ownMark(), process.pid, number);
    }),
  );
  return openSession(store, number, id, use);
}

function useColumns({ provider, model, flags, redactor }: SessionUse): readonly [string, string, string] {
  return [provider, model, JSON.stringify(redactor.data(flags))];
}

function openSession(
  store: SessionStore,
  number: number,
  id: string,
  { redactor, prices }: Pick<SessionUse, 'redactor' | 'prices'>,
): OpenSession {
  const mark = store.ownMark();
  let isClosed = false;
  /** Writes in one transaction, if the session is still this process's. */
  const write = (work: (database: Database, now: number) => void): void => {
    if (isClosed) throw new KernelError('CONFIG_INVALID', `The session ${id.slice(0, SHORT_ID)} is closed.`);
    store.use((database) =>
      transaction(database, () => {
        const now = Date.now();
        const { changes } = database
          .prepare('UPDATE sessions SET changed_ms = ? WHERE number = ? AND writer = ?')
          .run(now, number, mark);
        if (changes === 0) throw lostError(id);
        work(database, now);
      }),
    );
  };
  return {
    id,
    // oxlint-disable-next-line typescript/require-await -- SQLite answers at once
    entries: async () => store.use((database) => entriesOf(database, number)),
    // oxlint-disable-next-line typescript/require-await -- as above
    async append(entries) {
      const clean = redactor.data(entries);
      write((database, now) => {
        for (const entry of clean) insertEntry(database, number, entry, now);
      });
    },
    // oxlint-disable-next-line typescript/require-await -- as above
    async replace(entries) {
      const clean = redactor.data(entries);
      write((database, now) => {
        database.prepare('DELETE FROM words WHERE rowid IN (SELECT number FROM entries WHERE session = ?)').run(number);
        database.prepare('DELETE FROM entries WHERE session = ?').run(number);
        for (const entry of clean) insertEntry(database, number, entry, now);
      });
    },
    // oxlint-disable-next-line typescript/require-await -- as above
    usage: async () => store.use((database) => usageOf(database, number)),
    write({ path, atMs, data }) {
      const clean = redactor.data(data);
      write((database) => {
        database
          .prepare('INSERT INTO events (session, at_ms, path, event) VALUES (?, ?, ?, ?)')
          .run(number, atMs, JSON.stringify(path), JSON.stringify(clean));
        if (clean.type === 'message-end') {
          const { usage, calls } = clean;
          database
            .prepare(
              `UPDATE sessions SET turns = turns + 1, calls = calls + ?1, tokens_in = tokens_in + ?2, tokens_out = tokens_out + ?3,
                 cost = CASE WHEN ?4 IS NULL THEN cost ELSE coalesce(cost, 0) + ?4 END WHERE number = ?5`,
            )
            .run(
              calls.length,
              usage?.inputTokens ?? 0,
              usage?.outputTokens ?? 0,
              usage === undefined || prices === undefined ? null : costOf(usage, prices),
              number,
            );
        } else if (path.length === 0 && (clean.type === 'run-start' || clean.type === 'run-end'))
          database
            .prepare('UPDATE sessions SET state = ? WHERE number = ?')
            .run(clean.type === 'run-end' ? clean.reason : 'begun', number);
      });
    },
    // oxlint-disable-next-line typescript/require-await -- as above
    async close() {
      if (isClosed) return;
      isClosed = true;
      store.use((database) =>
        database
          .prepare('UPDATE sessions SET writer = NULL, writer_pid = NULL WHERE number = ? AND writer = ?')
          .run(number, mark),
      );
    },
  };
}

function usageOf(database: Database, session: number): SessionUsage {
  const newest = database.prepare(
    `SELECT event FROM events WHERE session = ? AND path = '[]' AND event LIKE '%"type":"message-end"%' ORDER BY number DESC LIMIT 1`,
  );
  const usage = fieldsOf(jsonIn(newest.get(session), 'event')['usage']);
  const [inputTokens, outputTokens] = [numberOf(usage, 'inputTokens'), numberOf(usage, 'outputTokens')];
  const { cost } = fieldsOf(database.prepare('SELECT cost FROM sessions WHERE number = ?').get(session));
  return {
    lastReply: inputTokens + outputTokens === 0 ? undefined : { inputTokens, outputTokens },
    cost: typeof cost === 'number' ? cost : undefined,
  };
}

export function insertEntry(database: Database, session: number, entry: SessionEntry, now: number): void {
  const { lastInsertRowid } = database
    .prepare('INSERT INTO entries (session, at_ms, entry) VALUES (?, ?, ?)')
    .run(session, now, JSON.stringify(entry));
  if (entry.type !== 'message') return;
  const { message } = entry;
  const text = sliceHead(textOf(message), MAX_SEARCHED);
  const asked = message.role === 'user' && entry.isCorrection !== true ? text : '';
  const answered = message.role === 'assistant' ? text : '';
  const calls = toolCallsOf(message).map((call) => `${call.name} ${call.arguments}`);
  const called = sliceHead(calls.join('\n'), MAX_SEARCHED);
  if (asked === '' && answered === '' && called === '') return;
  database
    .prepare('INSERT INTO words (rowid, asked, answered, called) VALUES (?, ?, ?, ?)')
    .run(lastInsertRowid, asked, answered, called);
  if (asked !== '')
    database
      .prepare("UPDATE sessions SET title = ? WHERE number = ? AND title = ''")
      .run(sliceHead(titleOf(message, asked).trim(), MAX_TITLE), session);
}

/** What was typed: the last text of a message, after what came with it; `asked` where it is the only one. */
function titleOf({ content }: Message, asked: string): string {
  if (typeof content === 'string') return asked;
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.at(-1) ?? asked;
}

function lockedError(record: SessionRecord): KernelError {
  const pid = numberOf({ pid: record.writerPid }, 'pid');
  return new KernelError('SESSION_LOCKED', `The session ${calledOf(record)} is open in process ${pid}.`, {
    hint: 'Wait until that has ended, or begin another session: leave out -c, or give --session another name.',
    retryable: true,
  });
}

function lostError(id: string): KernelError {
  return new KernelError('SESSION_LOCKED', `The session ${id.slice(0, SHORT_ID)} was removed or taken over.`);
}

/** Returns the text of the last message if it is an answer without pending calls. */
export function lastAnswerOf(entries: readonly SessionEntry[]): string | undefined {
  const last = entries.findLast((entry) => entry.type === 'message')?.message;
  if (last?.role !== 'assistant' || toolCallsOf(last).length > 0) return undefined;
  return textOf(last);
}
