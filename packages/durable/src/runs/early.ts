import { KernelError } from '@kernel/protocol';
import type { Database } from '../database/database.ts';

/** What was sent to a run before it was started: a decision on a call, or a message. */
export interface EarlySignal {
  /** The id that the run will have. */
  readonly runId: string;
  /** The call that was decided on. */
  readonly callId?: string;
  /** Where a message goes. */
  readonly queue?: 'steer' | 'followUp';
  /** The decision or the message, as JSON. */
  readonly body: string;
}

/** How many a journal keeps: a program that mistakes ids must not fill the disk. */
const MAX_EARLY = 10_000;
const DAY_MS = 86_400_000;

/** Keeps a signal for a run that is still to start. Returns false for a decision on a call that has one. Throws `LIMIT_REACHED` where too many wait. */
export function keepEarly(db: Database, { runId, callId, queue, body }: EarlySignal): boolean {
  const kept = Number(db.get('SELECT count(*) AS n FROM early')?.['n']);
  if (kept >= MAX_EARLY)
    throw new KernelError('LIMIT_REACHED', `${MAX_EARLY} signals wait for runs that have not been started.`, {
      hint: 'Check the ids that decide() and steer() are called with. purge() deletes signals that are older than a day.',
    });
  const sql = 'INSERT OR IGNORE INTO early (run_id, call_id, queue, body, made_at) VALUES (?, ?, ?, ?, ?)';
  return db.run(sql, runId, callId ?? null, queue ?? null, body, Date.now()) > 0;
}

/** Gives a run that has been started what was sent to it before. */
export function takeEarly(db: Database, runId: string): void {
  db.run(
    `INSERT INTO signals (run_id, call_id, answer, made_at)
     SELECT run_id, call_id, body, made_at FROM early WHERE run_id = ? AND call_id IS NOT NULL`,
    runId,
  );
  db.run(
    `INSERT INTO inbox (run_id, queue, message)
     SELECT run_id, queue, body FROM early WHERE run_id = ? AND queue IS NOT NULL ORDER BY seq`,
    runId,
  );
  db.run('DELETE FROM early WHERE run_id = ?', runId);
}

/** Deletes what was sent to runs that have not been started: to these, or to any before a time, which is a day ago if not given. */
export function purgeEarly(db: Database, ids: readonly string[] | undefined, before: Date | undefined): void {
  const limit = before?.getTime() ?? (ids === undefined ? Date.now() - DAY_MS : Number.MAX_SAFE_INTEGER);
  if (ids === undefined) db.run('DELETE FROM early WHERE made_at < ?', limit);
  else for (const id of ids) db.run('DELETE FROM early WHERE run_id = ? AND made_at < ?', id, limit);
}
