import type { Database } from './database/load-sqlite.ts';
import { transaction } from './database/transaction.ts';
import { RECORD_COLUMNS, type SessionRecord, toRecord } from './session-record.ts';

/** Lists the sessions that were last used before a time, the oldest first. */
export function sessionsBefore(database: Database, timeMs: number): readonly SessionRecord[] {
  return database
    .prepare(`SELECT ${RECORD_COLUMNS} FROM sessions WHERE changed_ms < ? ORDER BY changed_ms`)
    .all(timeMs)
    .map(toRecord);
}

/**
 * Removes sessions with all that was kept of them, and returns how many: what they were written in is overwritten, in the log of changes, too. One that
 * another process has opened meanwhile stays.
 */
export function removeSessions(database: Database, records: readonly SessionRecord[]): number {
  let count = 0;
  transaction(database, () => {
    const same = database.prepare('SELECT 1 FROM sessions WHERE number = ? AND id = ? AND writer IS ?');
    const words = database.prepare('DELETE FROM words WHERE rowid IN (SELECT number FROM entries WHERE session = ?)');
    const session = database.prepare('DELETE FROM sessions WHERE number = ?');
    for (const { number, id, writer } of records) {
      if (same.get(number, id, writer ?? null) === undefined) continue;
      count += 1;
      words.run(number);
      session.run(number);
    }
  });
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  return count;
}
