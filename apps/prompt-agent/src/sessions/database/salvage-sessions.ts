import type { SessionEntry } from '@kernel/agent';
import { numberOf, textOf } from '../event-fields.ts';
import { insertEntry } from '../open-session.ts';
import type { SessionStore } from '../session-store.ts';
import { type Database, loadSqlite, transaction } from './load-sqlite.ts';
import { jsonIn, type Row } from './rows.ts';

const COLUMNS =
  'number, id, name, folder, title, provider, model, flags, created_ms, changed_ms, turns, calls, tokens_in, tokens_out, cost, state';
const COPIED = COLUMNS.split(', ').slice(1);

/** Copies the sessions that can be read from a damaged file into the store; the file is not changed. Throws SQLite's error if it cannot be opened. */
export function salvageSessions(path: string, store: SessionStore) {
  const { DatabaseSync } = loadSqlite();
  const damaged = new DatabaseSync(path, { readOnly: true });
  try {
    const sessions = readTable(damaged, `SELECT ${COLUMNS} FROM sessions`);
    const entries = readTable(damaged, 'SELECT number, session, at_ms, entry FROM entries');
    const events = readTable(damaged, 'SELECT number, session, at_ms, path, event FROM events');
    const entriesOf = Map.groupBy(entries.rows, (row) => numberOf(row, 'session'));
    const eventsOf = Map.groupBy(events.rows, (row) => numberOf(row, 'session'));
    let [added, known] = [0, 0];
    for (const session of sessions.rows) {
      const number = numberOf(session, 'number');
      const isNew = store.use((database) =>
        transaction(database, () =>
          addSession(database, session, {
            entries: entriesOf.get(number) ?? [],
            events: eventsOf.get(number) ?? [],
            isPartial: entries.isPartial,
          }),
        ),
      );
      if (isNew) added += 1;
      else known += 1;
    }
    return { sessions: added, known, isPartial: sessions.isPartial || entries.isPartial || events.isPartial };
  } finally {
    damaged.close();
  }
}

/** The rows of a table: from its beginning to where it is damaged, and from its end. */
function readTable(database: Database, select: string): { readonly rows: readonly Row[]; readonly isPartial: boolean } {
  const rows = new Map<number, Row>();
  const read = (order: 'ASC' | 'DESC'): boolean => {
    try {
      for (const row of database.prepare(`${select} ORDER BY number ${order}`).iterate()) {
        if (rows.has(numberOf(row, 'number'))) return true;
        rows.set(numberOf(row, 'number'), row);
      }
      return true;
    } catch {
      return false;
    }
  };
  const isWhole = read('ASC');
  if (!isWhole) read('DESC');
  return {
    rows: [...rows.values()].toSorted((a, b) => numberOf(a, 'number') - numberOf(b, 'number')),
    isPartial: !isWhole,
  };
}

interface Content {
  readonly entries: readonly Row[];
  readonly events: readonly Row[];
  readonly isPartial: boolean;
}

/** Adds a session with its entries and events. Returns false if there is one of its id. */
function addSession(database: Database, session: Row, { entries, events, isPartial }: Content): boolean {
  if (database.prepare('SELECT 1 FROM sessions WHERE id = ?').get(textOf(session, 'id')) !== undefined) return false;
  const isTaken = database.prepare('SELECT 1 FROM sessions WHERE name = ?').get(textOf(session, 'name')) !== undefined;
  const { lastInsertRowid } = database
    .prepare(`INSERT INTO sessions (${COPIED.join(', ')}) VALUES (${COPIED.map(() => '?').join(', ')})`)
    .run(...COPIED.map((column) => (column === 'name' && isTaken ? null : toValue(session[column]))));
  const number = Number(lastInsertRowid);
  for (const row of entries) {
    const entry = jsonIn(row, 'entry');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the JSON of an entry
    const known = (entry['type'] === undefined ? { type: 'lost' } : entry) as unknown as SessionEntry;
    insertEntry(database, number, known, numberOf(row, 'at_ms'));
  }
  // Rows that were lost may have been of this session.
  if (isPartial) insertEntry(database, number, { type: 'lost' }, Date.now());
  for (const row of events)
    database
      .prepare('INSERT INTO events (session, at_ms, path, event) VALUES (?, ?, ?, ?)')
      .run(number, numberOf(row, 'at_ms'), textOf(row, 'path'), textOf(row, 'event'));
  return true;
}

function toValue(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
