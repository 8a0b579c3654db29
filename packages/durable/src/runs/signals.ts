import {
  bindDecision,
  type Decision,
  type JsonValue,
  KernelError,
  type Message,
  type PurgeOptions,
  type RunStatus,
  type OutcomeResolution,
  type UserMessage,
} from '@kernel/protocol';
import type { Database } from '../database/database.ts';
import { FINAL, noSuchRun, parse, readStatus, text } from './read-run.ts';

/**
 * Keeps the first answer for a call and wakes its run. A decision on a call that waits is bound to it as it is then. One for a run that has not been started is kept
 * until it is. Returns whether the answer counts.
 */
export function answerCall(
  db: Database,
  runId: string,
  callId: string,
  kind: 'approval' | 'unknown',
  answer: Decision | OutcomeResolution,
): boolean {
  const status = readStatus(db, runId);
  if (status === undefined && kind === 'approval')
    return keepEarly(db, { runId, callId, body: JSON.stringify(answer) });
  if (status === undefined) throw noSuchRun(runId);
  if (FINAL.has(status)) return false;
  const waiting = db.get('SELECT call FROM waits WHERE run_id = ? AND call_id = ? AND kind = ?', runId, callId, kind);
  const bound = kind === 'approval' && waiting ? bindDecision(answer, parse(text(waiting, 'call'))) : answer;
  const sql = 'INSERT OR IGNORE INTO signals (run_id, call_id, answer, made_at) VALUES (?, ?, ?, ?)';
  const counts = db.run(sql, runId, signalKey(kind, callId), JSON.stringify(bound), Date.now()) > 0;
  if (counts) wake(db, runId);
  return counts;
}

/** Binds a decision that came before its question to the call that it has settled: asked about another one under this id, the person is asked again. */
export function bindAnswer(db: Database, runId: string, callId: string, output: JsonValue): void {
  const answer = readAnswer(db, runId, callId, 'approval');
  const bound = answer && bindDecision(answer, output);
  if (bound === undefined || bound === answer) return;
  const sql = 'UPDATE signals SET answer = ? WHERE run_id = ? AND call_id = ?';
  db.run(sql, JSON.stringify(bound), runId, signalKey('approval', callId));
}

/** The first answer for a call, as JSON; undefined if there is none. */
export function readAnswer(db: Database, runId: string, callId: string, kind: 'approval' | 'unknown') {
  const sql = 'SELECT answer FROM signals WHERE run_id = ? AND call_id = ?';
  const row = db.get(sql, runId, signalKey(kind, callId));
  return row && parse(text(row, 'answer'));
}

/** The key of an answer. A call may have both a decision and a resolution of its unknown outcome. */
function signalKey(kind: 'approval' | 'unknown', callId: string): string {
  return kind === 'approval' ? callId : `unknown ${callId}`;
}

export function wake(db: Database, runId: string): void {
  const sql = "UPDATE runs SET status = 'queued', wake_at = NULL, updated_at = ? WHERE id = ? AND status = 'waiting'";
  db.run(sql, Date.now(), runId);
}

/** Cancels a run: immediately, or through its worker if it is running. Returns false if it had already finished. */
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

/** Ends a run and deletes its waits, and its answers and messages too unless it can be retried. */
export function endRun(db: Database, runId: string, status: RunStatus, result: string): void {
  const sql = 'UPDATE runs SET status = ?, result = ?, owner = NULL, is_alone = 0, updated_at = ? WHERE id = ?';
  db.run(sql, status, result, Date.now(), runId);
  const tables = status === 'failed' ? ['waits'] : ['waits', 'signals', 'inbox'];
  for (const table of tables) db.run(`DELETE FROM ${table} WHERE run_id = ?`, runId);
}

/**
 * Adds a message for a run that has not finished. It does not wake the run, which reads it before the next model call or after the answer. A message
 * for a run that has not been started is kept until it is.
 */
export function addMessage(
  db: Database,
  runId: string,
  queue: 'steer' | 'followUp',
  message: string | UserMessage,
): void {
  const status = readStatus(db, runId);
  if (status !== undefined && FINAL.has(status))
    throw new KernelError('CONFIG_INVALID', `The run ${JSON.stringify(runId)} is over.`, {
      hint: 'Start another one with its messages, which result() returns.',
    });
  const whole: Message = typeof message === 'string' ? { role: 'user', content: message } : message;
  const body = JSON.stringify(whole);
  if (status === undefined) keepEarly(db, { runId, queue, body });
  else db.run('INSERT INTO inbox (run_id, queue, message) VALUES (?, ?, ?)', runId, queue, body);
}

/** Ends a run once the calls in flight are done. Returns false if it had already finished. */
export function stopRun(db: Database, runId: string): boolean {
  if (FINAL.has(statusOf(db, runId))) return false;
  db.run('UPDATE runs SET is_stopping = 1 WHERE id = ?', runId);
  return true;
}

/**
 * Puts a run that failed or is blocked back into the queue, keeping what is recorded. For a queued or waiting run, only sets the version. Throws
 * `CONFIG_INVALID` for any other run.
 */
export function retryRun(db: Database, runId: string, version: string | undefined): void {
  const status = statusOf(db, runId);
  if (version !== undefined && (status === 'queued' || status === 'waiting')) {
    db.run('UPDATE runs SET version = ?, updated_at = ? WHERE id = ?', version, Date.now(), runId);
    return;
  }
  if (status !== 'failed' && status !== 'blocked')
    throw new KernelError('CONFIG_INVALID', `The run ${JSON.stringify(runId)} cannot be retried: it is ${status}.`, {
      hint: 'Only a run that failed or is blocked can be retried. A queued or waiting run can be moved to another version.',
    });
  db.run(
    `UPDATE runs SET status = 'queued', version = COALESCE(?, version), deaths = 0, result = NULL, wake_at = NULL,
     is_cancelled = 0, updated_at = ? WHERE id = ?`,
    version ?? null,
    Date.now(),
    runId,
  );
}

/** Deletes finished runs with all their data, and signals for runs that were never started. Returns the number of deleted runs. */
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

interface EarlySignal {
  readonly runId: string;
  readonly callId?: string;
  readonly queue?: 'steer' | 'followUp';
  readonly body: string;
}

/** The most a journal keeps, so that a program with wrong ids cannot fill the disk. */
const MAX_EARLY = 10_000;
const DAY_MS = 86_400_000;

/** Keeps a signal for a run that has not been started. Returns false if the call already has a decision. Throws `LIMIT_REACHED` if too many signals wait. */
function keepEarly(db: Database, { runId, callId, queue, body }: EarlySignal): boolean {
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
function purgeEarly(db: Database, ids: readonly string[] | undefined, before: Date | undefined): void {
  const limit = before?.getTime() ?? (ids === undefined ? Date.now() - DAY_MS : Number.MAX_SAFE_INTEGER);
  if (ids === undefined) db.run('DELETE FROM early WHERE made_at < ?', limit);
  else for (const id of ids) db.run('DELETE FROM early WHERE run_id = ? AND made_at < ?', id, limit);
}
