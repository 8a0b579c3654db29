import { KernelError } from '@kernel/protocol';
import type { Database } from '../database/database.ts';

export interface EarlySignal {
  readonly runId: string;
  readonly callId?: string;
  readonly queue?: 'steer' | 'followUp';
  readonly body: string;
}

/** The most a journal keeps, so that a program with wrong ids cannot fill the disk. */
const MAX_EARLY = 10_000;
const DAY_MS = 86_400_000;

/** Keeps a signal for a run that has not been started. Returns false if the call already has a decision. Throws `LIMIT_REACHED` if too many signals wait. */
export function keepEarly(db: Database, { runId, callId, queue, body }: EarlySignal): boolean {
  const kept = Number(db.get('SELECT count(*) AS n FROM early')?.['n']);
  if (kept >= MAX_EARLY)
    throw new KernelError('LIMIT_REACHED', `${MAX_EARLY} signals wait for runs that have not been started.`, {
      hint: 'Check the ids passed to decide() and steer(). purge() deletes signals older than a day.',
    });
  const sql = 'INSERT OR IGNORE INTO early (run_id, call_id, queue, body, made_at) VALUES (?, ?, ?, ?, ?)';
  return db.run(sql, runId, callId ?? null, queue ?? null, body, Date.now()) > 0;
}

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

/** Deletes signals for runs that have not been started: for these ids, or all from before a time, by default a day ago. */
export function purgeEarly(db: Database, ids: readonly string[] | undefined, before: Date | undefined): void {
  const limit = before?.getTime() ?? (ids === undefined ? Date.now() - DAY_MS : Number.MAX_SAFE_INTEGER);
  if (ids === undefined) db.run('DELETE FROM early WHERE made_at < ?', limit);
  else for (const id of ids) db.run('DELETE FROM early WHERE run_id = ? AND made_at < ?', id, limit);
}
