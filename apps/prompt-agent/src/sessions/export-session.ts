import type { Database } from './database/load-sqlite.ts';
import { jsonIn, numberIn, type Row, textIn } from './database/rows.ts';
import { recordJson } from './record-json.ts';
import type { SessionRecord } from './session-record.ts';

/** The version of the lines, which fields may be added to. */
const EXPORT_VERSION = 1;

/**
 * A session as values for lines of JSON: `{ type: 'session', version: 1, … }` first, then each entry of its log as `{ type: 'entry', at, entry }`, in
 * order, then each event as `{ type: 'event', at, path, event }`, in order.
 */
export function exportLines(database: Database, record: SessionRecord): readonly object[] {
  const entries = database.prepare('SELECT at_ms, entry FROM entries WHERE session = ? ORDER BY number');
  return [
    { type: 'session', version: EXPORT_VERSION, ...recordJson(record) },
    ...entries.all(record.number).map((row) => ({ type: 'entry', at: timeOf(row), entry: jsonIn(row, 'entry') })),
    ...readEvents(database, record.number).map(({ at, path, event }) => ({ type: 'event', at, path, event })),
  ];
}

/** An event, as it was written. */
export interface StoredEvent {
  /** When, in ISO 8601. */
  readonly at: string;
  /** When, in milliseconds since 1970, with fractions. */
  readonly atMs: number;
  /** As in `SessionEvent`. */
  readonly path: readonly string[];
  /** The JSON of an `EventData`, perhaps with fields of a newer release. */
  readonly event: Readonly<Record<string, unknown>>;
}

/** Reads the events of a session, in order. */
export function readEvents(database: Database, session: number): readonly StoredEvent[] {
  return database
    .prepare('SELECT at_ms, path, event FROM events WHERE session = ? ORDER BY number')
    .all(session)
    .map((row) => ({
      at: timeOf(row),
      atMs: numberIn(row, 'at_ms'),
      path: pathOf(textIn(row, 'path')),
      event: jsonIn(row, 'event'),
    }));
}

function timeOf(row: Row): string {
  return new Date(numberIn(row, 'at_ms')).toISOString();
}

function pathOf(text: string): readonly string[] {
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? value.map(String) : [];
}
