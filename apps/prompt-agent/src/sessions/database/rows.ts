import type { SessionEntry } from '@kernel/agent';
import { isObject } from '@kernel/internal';

/** A row, as SQLite returns it. */
export type Row = Readonly<Record<string, unknown>>;

/** The text in a column; empty if it has none. */
export function textIn(row: Row | undefined, column: string): string {
  const value = row?.[column];
  return typeof value === 'string' ? value : '';
}

/** The number in a column; 0 if it has none. */
export function numberIn(row: Row | undefined, column: string): number {
  const value = row?.[column];
  return typeof value === 'number' ? value : 0;
}

/** The JSON object in a column; empty if it has none, which a damaged row may cause. */
export function jsonIn(row: Row | undefined, column: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(textIn(row, column));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
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
