import { type ListSessionsResponse, RequestError } from '@agentclientprotocol/sdk/unstable';
import type { SessionEntry } from '@kernel/agent';
import { sliceHead, visibleLine } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { CommandCall } from '../command-call.ts';
import { stateFolder } from '../config/folders.ts';
import { entriesOf } from '../sessions/database/rows.ts';
import { findSession, folderOf, listSessions, removeSessions } from '../sessions/find-session.ts';
import type { SessionRecord } from '../sessions/session-record.ts';
import { openStore, type SessionStore } from '../sessions/session-store.ts';

const PAGE = 50;

/** A session in the store of the program. */
interface StoredSession {
  /** Whether it belongs to a folder. */
  isIn(folder: string): boolean;
  /** Reads all that it has. */
  entries(): readonly SessionEntry[];
}

/** Finds a session by its whole id; undefined if there is none. One that is recorded in a journal belongs to the terminal. */
export function findStored(call: CommandCall, id: string): StoredSession | undefined {
  const record = withStore(call, (store) => recordOf(store, id));
  return (
    record && {
      isIn: (folder) => record.folder === folderOf(folder),
      entries: () => withStore(call, (store) => store.use((database) => entriesOf(database, record.number))),
    }
  );
}

/** Removes a session for good. Throws `SESSION_LOCKED` while another process has it open, and `sessionNotFound` if there is none. */
export function removeStored(call: CommandCall, id: string): void {
  withStore(call, (store) => {
    const record = recordOf(store, id);
    if (record === undefined) throw RequestError.sessionNotFound(id);
    if (record.writer !== undefined && store.isRunning(record.writer))
      throw new KernelError(
        'SESSION_LOCKED',
        `The session is open in process ${record.writerPid ?? 0}, so it was not deleted.`,
      );
    store.use((database) => removeSessions(database, [record]));
  });
}

/** Lists the sessions of a folder, or all, the last used first, a page at a time. */
export function listStored(
  call: CommandCall,
  cwd: string | null | undefined,
  cursor: string | null | undefined,
): ListSessionsResponse {
  if (cursor != null && !/^\d{1,9}$/.test(cursor))
    throw RequestError.invalidParams(
      undefined,
      `${JSON.stringify(sliceHead(cursor, 40))} is not a cursor of this agent`,
    );
  const from = Number(cursor ?? 0);
  const folder = cwd == null ? undefined : folderOf(cwd);
  const all = withStore(call, (store) => store.use((database) => listSessions(database, 0))).filter(
    (record) => isForEditors(record) && record.title !== '' && (folder === undefined || record.folder === folder),
  );
  return {
    sessions: all.slice(from, from + PAGE).map((record) => ({
      sessionId: record.id,
      cwd: record.folder,
      title: visibleLine(record.title),
      updatedAt: new Date(record.changedMs).toISOString(),
    })),
    ...(all.length > from + PAGE && { nextCursor: String(from + PAGE) }),
  };
}

function recordOf(store: SessionStore, id: string): SessionRecord | undefined {
  if (!/^[\da-f]{32}$/.test(id)) return undefined;
  const record = store.use((database) => findSession(database, id, id.length));
  return record !== undefined && isForEditors(record) ? record : undefined;
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
