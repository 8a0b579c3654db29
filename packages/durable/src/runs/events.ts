import { attempt, isObject } from '@kernel/internal';
import { type AgentEvent, KernelError, type LogEvent, toLogEvent } from '@kernel/protocol';
import type { Database } from '../database/database.ts';
import { parse, text } from './read-run.ts';

export interface NewEvent {
  /** Identifies an event that a later attempt emits again; empty for an event that is committed with its step and so is logged once. */
  readonly key: string;
  /** The id of its step; empty for one of the run itself. */
  readonly step: string;
  readonly at: number;
  readonly event: AgentEvent;
}

/** Returns a filter that drops events whose key is already in the run's log or has passed the filter before. */
export function createEventFilter(db: Database, runId: string): (events: readonly NewEvent[]) => readonly NewEvent[] {
  const rows = db.all("SELECT key FROM events WHERE run_id = ? AND key <> ''", runId);
  const known = new Set(rows.map((row) => text(row, 'key')));
  return (events) =>
    events.filter(({ key }) => {
      const isNew = key === '' || !known.has(key);
      known.add(key);
      return isNew;
    });
}

export function logEvents(db: Database, runId: string, events: readonly NewEvent[]): void {
  if (events.length === 0) return;
  let seq = Number(db.get('SELECT COALESCE(MAX(seq), 0) AS seq FROM events WHERE run_id = ?', runId)?.['seq']);
  for (const { key, step, at, event } of events) {
    const sql = 'INSERT INTO events (run_id, seq, key, step, at, event) VALUES (?, ?, ?, ?, ?, ?)';
    seq += db.run(sql, runId, seq + 1, key, step, at, toText(event));
  }
}

/** An event as JSON; its type alone where a loop puts into it what JSON cannot hold: a log must not end a run. */
function toText(event: AgentEvent): string {
  return attempt(() => JSON.stringify(toLogEvent(event))) ?? JSON.stringify({ type: event.type });
}

export function readEvents(db: Database, runId: string, after: number, limit: number): readonly LogEvent[] {
  const sql = 'SELECT seq, step, at, event FROM events WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?';
  return db.all(sql, runId, after, limit).map((row) => {
    const event: unknown = parse(text(row, 'event'));
    if (!isObject(event) || typeof event['type'] !== 'string')
      throw new KernelError(
        'STORE_FAILED',
        `The journal holds something that is not an event, at ${Number(row['seq'])}.`,
      );
    return {
      seq: Number(row['seq']),
      at: Number(row['at']),
      step: text(row, 'step'),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `logEvents`
      event: event as unknown as AgentEvent,
    };
  });
}
