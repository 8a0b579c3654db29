import type { Database } from './database/load-sqlite.ts';
import { numberOf, textOf } from './event-fields.ts';
import { RECORD_COLUMNS, type SessionRecord, toRecord } from './session-record.ts';

export interface FoundSession {
  readonly session: SessionRecord;
  /** How many of its messages have the words. */
  readonly count: number;
  /** The text around the words in the message that fits best. */
  readonly snippet: string;
}

const SNIPPET_WORDS = 24;
/** More words than anybody searches for; each costs time. */
const MAX_WORDS = 32;

/**
 * Finds sessions by words: each must occur, also as the beginning of a longer one, in one message; those between quotes as a phrase. What fits best comes
 * first. No text is an error: what FTS5 would read as an operator is a word, too.
 */
export function searchSessions(database: Database, text: string, limit: number): readonly FoundSession[] {
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
