import { sliceHead } from '@kernel/internal';
import { type ListSessionsResponse, RequestError } from '@agentclientprotocol/sdk/unstable';
import type { SessionEntry } from '@kernel/agent';
import type { CommandCall } from '../command-call.ts';
import { stateFolder } from '../config/folders.ts';
import { entryIn } from '../sessions/database/rows.ts';
import { findSession, folderOf, listSessions } from '../sessions/find-session.ts';
import { calledOf, type SessionRecord } from '../sessions/session-record.ts';
import { openStore, type SessionStore } from '../sessions/session-store.ts';

const PAGE = 50;

interface Kept {
  readonly record: SessionRecord;
  readonly entries: readonly SessionEntry[];
}

/** Finds a session by its whole id; undefined if there is none, or if it belongs to another folder than `cwd`. One that is recorded in a journal belongs to the terminal. */
export function findKept(call: CommandCall, id: string, cwd: string | undefined): Kept | undefined {
  if (!/^[\da-f]{32}$/.test(id)) return undefined;
  return withStore(call, (store) =>
    store.use((database) => {
      const record = findSession(database, id, id.length);
      if (record === undefined || !isForEditors(record)) return undefined;
      if (cwd !== undefined && record.folder !== folderOf(cwd)) return undefined;
      const rows = database.prepare('SELECT entry FROM entries WHERE session = ? ORDER BY number').all(record.number);
      return { record, entries: rows.map((row) => entryIn(row) ?? { type: 'lost' as const }) };
    }),
  );
}

/** Lists the sessions of a folder, or all, the last used first, a page at a time. */
export function listKept(call: CommandCall, cwd: string | undefined, cursor: string | undefined): ListSessionsResponse {
  if (cursor !== undefined && !/^\d{1,9}$/.test(cursor))
    throw RequestError.invalidParams(
      undefined,
      `${JSON.stringify(sliceHead(cursor, 40))} is not a cursor of this agent`,
    );
  const from = Number(cursor ?? 0);
  const folder = cwd === undefined ? undefined : folderOf(cwd);
  const all = withStore(call, (store) => store.use((database) => listSessions(database, 0))).filter(
    (record) => isForEditors(record) && record.title !== '' && (folder === undefined || record.folder === folder),
  );
  const rest = all.length > from + PAGE;
  return {
    sessions: all.slice(from, from + PAGE).map((record) => ({
      sessionId: record.id,
      cwd: record.folder,
      title: record.title === '' ? calledOf(record) : record.title,
      updatedAt: new Date(record.changedMs).toISOString(),
    })),
    ...(rest && { nextCursor: String(from + PAGE) }),
  };
}

function isForEditors({ flags }: SessionRecord): boolean {
  return flags['durable'] === undefined;
}

function withStore<Value>({ host }: CommandCall, work: (store: SessionStore) => Value): Value {
  const store = openStore(stateFolder(host));
  try {
    return work(store);
  } finally {
    store.close();
  }
}
