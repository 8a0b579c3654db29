import {
  type Decision,
  KernelError,
  type Message,
  type RunStatus,
  type UnknownAnswer,
  type UserMessage,
} from '@kernel/protocol';
import type { Database } from '../database/database.ts';
import { keepEarly, purgeEarly } from './early.ts';
import { FINAL, noSuchRun, readStatus } from './read-run.ts';

/** Keeps an answer for a call, the first one only, and wakes its run. A decision for a run that is still to start waits for it. Returns whether it counts. */
export function answerCall(
  db: Database,
  runId: string,
  callId: string,
  kind: 'approval' | 'unknown',
  answer: Decision | UnknownAnswer,
): boolean {
  const status = readStatus(db, runId);
  if (status === undefined && kind === 'approval')
    return keepEarly(db, { runId, callId, body: JSON.stringify(answer) });
  if (status === undefined) throw noSuchRun(runId);
  if (FINAL.has(status)) return false;
  const sql = 'INSERT OR IGNORE INTO signals (run_id, call_id, answer, made_at) VALUES (?, ?, ?, ?)';
  const counts = db.run(sql, runId, signalKey(kind, callId), JSON.stringify(answer), Date.now()) > 0;
  if (counts) wake(db, runId);
  return counts;
}

/** The key of an answer: a decision and what becomes of an unknown outcome are different answers about one call. */
export function signalKey(kind: 'approval' | 'unknown', callId: string): string {
  return kind === 'approval' ? callId : `unknown ${callId}`;
}

/** Puts a run that waits back into the queue. */
export function wake(db: Database, runId: string): void {
  db.run(
    "UPDATE runs SET status = 'queued', wake_at = NULL, updated_at = ? WHERE id = ? AND status = 'waiting'",
    Date.now(),
    runId,
  );
}

/** Cancels a run: at once if nobody runs it, else its worker aborts it. Returns whether it was not over yet. */
export function cancelRun(db: Database, runId: string): boolean {
  const status = statusOf(db, runId);
  if (FINAL.has(status)) return false;
  if (status === 'running') {
    db.run('UPDATE runs SET is_cancelled = 1 WHERE id = ?', runId);
    return true;
  }
  endRun(db, runId, 'cancelled', JSON.stringify({ reason: 'aborted' }));
  return true;
}

/** Ends a run, with its waits; one that cannot be retried also with its answers and messages. */
export function endRun(db: Database, runId: string, status: RunStatus, result: string): void {
  db.run(
    'UPDATE runs SET status = ?, result = ?, owner = NULL, is_alone = 0, updated_at = ? WHERE id = ?',
    status,
    result,
    Date.now(),
    runId,
  );
  const tables = status === 'failed' ? ['waits'] : ['waits', 'signals', 'inbox'];
  for (const table of tables) db.run(`DELETE FROM ${table} WHERE run_id = ?`, runId);
}

/** Adds a message for a run that is not over, and wakes nothing: it is read before the next model call, or after the answer. One for a run that is still to start waits for it. */
export function addMessage(
  db: Database,
  runId: string,
  queue: 'steer' | 'followUp',
  message: string | UserMessage,
): void {
  const status = readStatus(db, runId);
  if (status !== undefined && FINAL.has(status))
    throw new KernelError('CONFIG_INVALID', `The run ${JSON.stringify(runId)} is over.`, {
      hint: 'Start another one with its messages: result() has them.',
    });
  const whole: Message = typeof message === 'string' ? { role: 'user', content: message } : message;
  const body = JSON.stringify(whole);
  if (status === undefined) keepEarly(db, { runId, queue, body });
  else db.run('INSERT INTO inbox (run_id, queue, message) VALUES (?, ?, ?)', runId, queue, body);
}

/** Lets a run end once the calls in flight are done. */
export function stopRun(db: Database, runId: string): boolean {
  if (FINAL.has(statusOf(db, runId))) return false;
  db.run('UPDATE runs SET is_stopping = 1 WHERE id = ?', runId);
  return true;
}

/**
 * Puts a run that failed or is blocked back into the queue; what is recorded stays. With a version also one that waits for a worker or an answer, which
 * only changes its version. Throws `CONFIG_INVALID` for any other.
 */
export function retryRun(db: Database, runId: string, version: string | undefined): void {
  const status = statusOf(db, runId);
  if (version !== undefined && (status === 'queued' || status === 'waiting')) {
    db.run('UPDATE runs SET version = ?, updated_at = ? WHERE id = ?', version, Date.now(), runId);
    return;
  }
  if (status !== 'failed' && status !== 'blocked')
    throw new KernelError(
      'CONFIG_INVALID',
      `The run ${JSON.stringify(runId)} is ${status}, so that it cannot be retried.`,
      {
        hint: 'Only a run that failed or is blocked can be. One that waits for a worker of its version can get another version.',
      },
    );
  db.run(
    `UPDATE runs SET status = 'queued', version = COALESCE(?, version), deaths = 0, result = NULL, wake_at = NULL,
     is_cancelled = 0, updated_at = ? WHERE id = ?`,
    version ?? null,
    Date.now(),
    runId,
  );
}

/** Which finished runs to delete. */
export interface PurgeOptions {
  /** Only these. */
  readonly ids?: readonly string[] | undefined;
  /** Only those that ended before. Default: all that are over, and what was sent to runs more than a day ago that have not been started. */
  readonly before?: Date | undefined;
}

/** Deletes runs that are over, with everything that is known of them, and what was sent to runs that were never started. Returns how many runs. */
export function purgeRuns(db: Database, { ids, before }: PurgeOptions): number {
  const over = "status IN ('done', 'failed', 'cancelled') AND updated_at < ?";
  const limit = before?.getTime() ?? Number.MAX_SAFE_INTEGER;
  let count = 0;
  if (ids === undefined) count = db.run(`DELETE FROM runs WHERE ${over}`, limit);
  else for (const id of ids) count += db.run(`DELETE FROM runs WHERE id = ? AND ${over}`, id, limit);
  purgeEarly(db, ids, before);
  return count;
}

function statusOf(db: Database, runId: string): RunStatus {
  const status = readStatus(db, runId);
  if (status === undefined) throw noSuchRun(runId);
  return status;
}
