import type { Database } from './database/load-sqlite.ts';
import { numberIn } from './database/rows.ts';
import { RECORD_COLUMNS, type SessionRecord, toRecord } from './session-record.ts';

/** Lists sessions, the one that was last written first. `limit` 0 means all of them. */
export function listSessions(database: Database, limit: number): readonly SessionRecord[] {
  return database
    .prepare(`SELECT ${RECORD_COLUMNS} FROM sessions ORDER BY changed_ms DESC, number DESC LIMIT ?`)
    .all(limit === 0 ? -1 : limit)
    .map(toRecord);
}

/** How many sessions there are. */
export function countSessions(database: Database): number {
  return numberIn(database.prepare('SELECT count(*) AS count FROM sessions').get(), 'count');
}
