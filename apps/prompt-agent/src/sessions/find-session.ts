import { realpathSync } from 'node:fs';
import { nearest } from '@kernel/internal';
import { usageError } from '../exit-code.ts';
import { oneLine } from '../output/escape.ts';
import { type Database, transaction } from './database/load-sqlite.ts';
import { numberOf, textOf } from './event-fields.ts';
import { RECORD_COLUMNS, type SessionRecord, SHORT_ID, toRecord } from './session-record.ts';

/** The fewest digits of an id that name a session. */
const MIN_PREFIX = 4;
const MAX_LISTED = 5;

/** Finds a session by its name, else by the beginning of its id. Throws a usage error for one that is unknown or ambiguous, with near names. */
export function requireSession(database: Database, given: string): SessionRecord {
  const found = findSession(database, given);
  if (found !== undefined) return found;
  const near = nearNames(database, given);
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  throw usageError(
    `There is no session "${oneLine(given, 80)}".${hint} See prompt-agent sessions list: a name, or ${MIN_PREFIX} digits of an id or more.`,
  );
}

/**
 * Finds a session by its name, else by the beginning of its id, of `minDigits` or more; undefined if there is none. Throws a usage error for a beginning
 * of several.
 */
export function findSession(database: Database, given: string, minDigits = MIN_PREFIX): SessionRecord | undefined {
  const named = database.prepare(`SELECT ${RECORD_COLUMNS} FROM sessions WHERE name = ?`).get(given);
  if (named !== undefined) return toRecord(named);
  const prefix = given.toLowerCase();
  if (!/^[\da-f]{1,32}$/.test(prefix) || prefix.length < minDigits) return undefined;
  const rows = database
    .prepare(`SELECT ${RECORD_COLUMNS} FROM sessions WHERE id >= ? AND id < ? ORDER BY id LIMIT ?`)
    .all(prefix, `${prefix}g`, MAX_LISTED);
  const [first, ...others] = rows;
  if (first === undefined) return undefined;
  if (others.length === 0) return toRecord(first);
  const ids = rows.map((row) => textOf(row, 'id').slice(0, Math.max(SHORT_ID, prefix.length + 4)));
  throw usageError(`"${prefix}" is the beginning of several sessions: ${ids.join(', ')}. Give more digits.`);
}

/** The session of a folder that was last written and has messages; undefined if there is none. */
export function lastOfFolder(database: Database, folder: string): SessionRecord | undefined {
  const row = database
    .prepare(
      `SELECT ${RECORD_COLUMNS} FROM sessions
       WHERE folder = ? AND EXISTS (SELECT 1 FROM entries WHERE entries.session = sessions.number)
       ORDER BY changed_ms DESC, number DESC LIMIT 1`,
    )
    .get(folder);
  return row === undefined ? undefined : toRecord(row);
}

export function nearNames(database: Database, given: string): readonly string[] {
  const names = database.prepare('SELECT name FROM sessions WHERE name IS NOT NULL').all();
  const ids = database.prepare('SELECT id FROM sessions ORDER BY changed_ms DESC LIMIT 1000').all();
  const known = [...names.map((row) => textOf(row, 'name')), ...ids.map((row) => textOf(row, 'id').slice(0, SHORT_ID))];
  return nearest(given, known, 2).map((name) => oneLine(name, 80));
}

/** The folder itself, behind links: what `--continue` compares. */
export function folderOf(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    return cwd;
  }
}

export function listSessions(database: Database, limit: number): readonly SessionRecord[] {
  return database
    .prepare(`SELECT ${RECORD_COLUMNS} FROM sessions ORDER BY changed_ms DESC, number DESC LIMIT ?`)
    .all(limit === 0 ? -1 : limit)
    .map(toRecord);
}

export function countSessions(database: Database): number {
  return numberOf(database.prepare('SELECT count(*) AS count FROM sessions').get(), 'count');
}

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

const SNIPPET_WORDS = 24;
/** More words than anybody searches for; each costs time. */
const MAX_WORDS = 32;

/**
 * Finds sessions by words: each must occur, also as the beginning of a longer one, in one message; those between quotes as a phrase. What fits best comes
 * first. No text is an error: what FTS5 would read as an operator is a word, too.
 */
export function searchSessions(database: Database, text: string, limit: number) {
  const query = toQuery(text);
  if (query === '') return [];
  const rows = database
    .prepare(
      `WITH found AS (
         SELECT entries.session AS session, words.rowid AS entry, rank AS score FROM words
         JOIN entries ON entries.number = words.rowid WHERE words MATCH ?
       ), best AS (
         SELECT session, count(*) AS hits, min(score) AS score, entry FROM found GROUP BY session
       )
       SELECT ${RECORD_COLUMNS}, hits, entry FROM best JOIN sessions ON sessions.number = best.session
       ORDER BY score, changed_ms DESC LIMIT ?`,
    )
    .all(query, limit === 0 ? -1 : limit);
  // Of a query with an aggregate, FTS5 makes no snippets.
  const snippet = database.prepare(
    `SELECT snippet(words, -1, '', '', '…', ${SNIPPET_WORDS}) AS text FROM words WHERE words MATCH ? AND rowid = ?`,
  );
  return rows.map((row) => ({
    session: toRecord(row),
    count: numberOf(row, 'hits'),
    snippet: textOf(snippet.get(query, numberOf(row, 'entry')), 'text'),
  }));
}

/** The text as a query of FTS5: each word or quoted phrase as a string of it. */
function toQuery(text: string): string {
  const words = text
    // A character of which FTS5 would take the end of its text.
    .replaceAll('\0', ' ')
    .split('"')
    .flatMap((piece, index) => (index % 2 === 1 ? [piece] : piece.split(/\s+/)))
    .filter((word) => /[\p{L}\p{N}\p{Co}]/u.test(word));
  return words
    .slice(0, MAX_WORDS)
    .map((word) => `"${word}"*`)
    .join(' ');
}
