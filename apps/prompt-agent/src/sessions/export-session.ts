import type { Database } from './database/load-sqlite.ts';
import { entryIn, jsonIn, type Row } from './database/rows.ts';
import { numberOf, textOf } from './event-fields.ts';
import { recordJson, type SessionRecord } from './session-record.ts';

const EXPORT_VERSION = 1;

/**
 * A session as values for lines of JSON: `{ type: 'session', version: 1, … }` first, then each entry of its log as `{ type: 'entry', at, entry }`, in
 * order, then each event as `{ type: 'event', at, path, event }`, in order. What is damaged has its text as `unreadable` in place of `entry` or `event`.
 */
export function exportLines(database: Database, record: SessionRecord): readonly object[] {
  const entries = database.prepare('SELECT at_ms, entry FROM entries WHERE session = ? ORDER BY number');
  return [
    { type: 'session', version: EXPORT_VERSION, ...recordJson(record) },
    ...entries.all(record.number).map((row) => ({ type: 'entry', at: timeOf(row), ...readable(row, 'entry') })),
    ...eventRows(database, record.number).map((row) => ({
      type: 'event',
      at: timeOf(row),
      path: pathOf(textOf(row, 'path')),
      ...readable(row, 'event'),
    })),
  ];
}

export interface StoredEvent {
  readonly at: string;
  /** When, in milliseconds since 1970, with fractions. */
  readonly atMs: number;
  /** As in `SessionEvent`. */
  readonly path: readonly string[];
  /** The JSON of an `EventData`, perhaps with fields of a newer release. */
  readonly event: Readonly<Record<string, unknown>>;
}

export function readEvents(database: Database, session: number): readonly StoredEvent[] {
  return eventRows(database, session).map((row) => ({
    at: timeOf(row),
    atMs: numberOf(row, 'at_ms'),
    path: pathOf(textOf(row, 'path')),
    event: jsonIn(row, 'event'),
  }));
}

function eventRows(database: Database, session: number): readonly Row[] {
  return database.prepare('SELECT at_ms, path, event FROM events WHERE session = ? ORDER BY number').all(session);
}

function readable(row: Row, column: 'entry' | 'event'): object {
  const value = column === 'entry' ? entryIn(row) : jsonIn(row, column);
  return value === undefined || Object.keys(value).length === 0
    ? { unreadable: textOf(row, column) }
    : { [column]: value };
}

/** A time that no calendar has is that of 1970. */
function timeOf(row: Row): string {
  const time = new Date(numberOf(row, 'at_ms'));
  return new Date(Number.isNaN(time.getTime()) ? 0 : time).toISOString();
}

function pathOf(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.map(String) : [];
  } catch {
    return [];
  }
}
