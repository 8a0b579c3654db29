import type { SessionEntry } from '@kernel/agent';
import { isObject } from '@kernel/internal';
import { type Fields, textOf } from '../event-fields.ts';
import type { Database } from './load-sqlite.ts';

export type Row = Fields;

/** Makes an id of 32 hex digits that nothing else ever has. From SQLite's generator, which the system seeds: loading Node's takes longer than a session does. */
export function newId(database: Database): string {
  return textOf(database.prepare('SELECT lower(hex(randomblob(16))) AS id').get(), 'id');
}

/** The JSON object in a column; empty if it has none, which a damaged row may cause. */
export function jsonIn(row: Row | undefined, column: string): Fields {
  try {
    const value: unknown = JSON.parse(textOf(row, column));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The entries of a session, in order. What cannot be read is `lost`. */
export function entriesOf(database: Database, session: number): readonly SessionEntry[] {
  return database
    .prepare('SELECT entry FROM entries WHERE session = ? ORDER BY number')
    .all(session)
    .map((row) => entryIn(row) ?? { type: 'lost' });
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

/** The entry of a session in a row, as it was written; undefined for JSON that is none, of which the history would have nothing. */
export function entryIn(row: Row): SessionEntry | undefined {
  const entry = jsonIn(row, 'entry');
  const { callId, calls, message, type } = entry;
  const isEntry =
    (type === 'message' && isObject(message) && ROLES.has(message['role']) && 'content' in message) ||
    (type === 'call-start' && typeof callId === 'string') ||
    (type === 'suspended' && Array.isArray(calls)) ||
    type === 'lost';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `runSession` reads the rest with care
  return isEntry ? (entry as unknown as SessionEntry) : undefined;
}
