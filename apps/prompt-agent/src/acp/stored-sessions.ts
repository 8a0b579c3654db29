import { type ListSessionsResponse, RequestError } from '@agentclientprotocol/sdk/unstable';
import type { SessionEntry } from '@kernel/agent';
import type { AgentMode } from '@kernel/toolbox/agents';
import { sliceHead } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { CommandCall } from '../command-call.ts';
import { stateFolder } from '../config/folders.ts';
import { entriesOf } from '../sessions/database/rows.ts';
import { findSession, folderOf, listSessions, removeSessions } from '../sessions/find-session.ts';
import type { SessionRecord } from '../sessions/session-record.ts';
import { openStore, type SessionStore } from '../sessions/session-store.ts';
import { titleOf } from './prompt-content.ts';
import { modeOf, type SessionSettings } from './session-options.ts';

const PAGE = 50;

/** A session in the store of the program. */
interface StoredSession {
  /** Whether it belongs to a folder. */
  isIn(folder: string): boolean;
  /** The mode that it was in, if that is known. */
  readonly settings: Partial<Pick<SessionSettings, 'mode'>>;
  /** Reads all that it has. */
  entries(): readonly SessionEntry[];
}

/** Finds a session by its whole id; undefined if there is none. One that is recorded in a journal belongs to the terminal. */
export function findStored(call: CommandCall, id: string): StoredSession | undefined {
  const record = withStore(call, (store) => recordOf(store, id));
  return (
    record && {
      isIn: (folder) => record.folder === folderOf(folder),
      settings: settingsOf(record),
      entries: () => withStore(call, (store) => store.use((database) => entriesOf(database, record.number))),
    }
  );
}

/** Keeps the mode that a stored session is in: whoever continues it begins in that mode. */
export function saveMode({ host }: Pick<CommandCall, 'host'>, id: string, mode: AgentMode): void {
  withStore({ host }, (store) =>
    store.use((database) =>
      database.prepare("UPDATE sessions SET flags = json_set(flags, '$.mode', ?) WHERE id = ?").run(mode, id),
    ),
  );
}

/** Removes a session for good, and returns whether there was one. Throws `SESSION_LOCKED` while another process has it open. */
export function removeStored(call: CommandCall, id: string): boolean {
  return withStore(call, (store) => {
    const record = recordOf(store, id);
    if (record === undefined) return false;
    if (record.writer !== undefined && store.isRunning(record.writer))
      throw new KernelError(
        'SESSION_LOCKED',
        `The session is open in process ${record.writerPid ?? 0}, so it was not deleted.`,
      );
    store.use((database) => removeSessions(database, [record]));
    return true;
  });
}

/** Lists the sessions of a folder, or all, the last used first, a page at a time. */
export function listStored(
  call: CommandCall,
  cwd: string | null | undefined,
  cursor: string | null | undefined,
): ListSessionsResponse {
  const [, ms, number] = /^(\d{1,15})-(\d{1,15})$/.exec(cursor ?? '') ?? [];
  if (cursor != null && ms === undefined)
    throw RequestError.invalidParams(
      undefined,
      `${JSON.stringify(sliceHead(cursor, 40))} is not a cursor of this agent`,
    );
  const folder = cwd == null ? undefined : folderOf(cwd);
  // Behind the last session of the page before, which may be gone by now.
  const isBehind = (record: SessionRecord): boolean =>
    ms === undefined ||
    record.changedMs < Number(ms) ||
    (record.changedMs === Number(ms) && record.number < Number(number));
  const all = withStore(call, (store) => store.use((database) => listSessions(database, 0))).filter(
    (record) =>
      isForEditors(record) &&
      record.title !== '' &&
      (folder === undefined || record.folder === folder) &&
      isBehind(record),
  );
  const page = all.slice(0, PAGE);
  const last = all.length > PAGE ? page.at(-1) : undefined;
  return {
    sessions: page.map((record) => ({
      sessionId: record.id,
      cwd: record.folder,
      title: titleOf(record.title),
      updatedAt: new Date(record.changedMs).toISOString(),
    })),
    ...(last && { nextCursor: `${last.changedMs}-${last.number}` }),
  };
}

function recordOf(store: SessionStore, id: string): SessionRecord | undefined {
  if (!/^[\da-f]{32}$/.test(id)) return undefined;
  const record = store.use((database) => findSession(database, id, id.length));
  return record !== undefined && isForEditors(record) ? record : undefined;
}

function settingsOf({ flags }: SessionRecord): StoredSession['settings'] {
  const mode = modeOf(flags['mode']);
  return mode === undefined ? {} : { mode };
}

function isForEditors({ flags }: SessionRecord): boolean {
  return flags['durable'] === undefined;
}

function withStore<Value>({ host }: Pick<CommandCall, 'host'>, work: (store: SessionStore) => Value): Value {
  const store = openStore(stateFolder(host));
  try {
    return work(store);
  } finally {
    store.close();
  }
}
