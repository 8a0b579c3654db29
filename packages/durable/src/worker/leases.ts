import { parseJson, hasEnded } from '@kernel/internal';
import type { Database } from '../database/database.ts';
import { endRun } from '../runs/signals.ts';
import { text } from '../runs/read-run.ts';

export interface Lease {
  readonly runId: string;
  readonly owner: string;
  readonly epoch: number;
}

/** Whether a lease is still valid. A worker must not write without it. */
export function holdsLease(db: Database, { runId, owner, epoch }: Lease): boolean {
  const sql = "SELECT 1 FROM runs WHERE id = ? AND owner = ? AND epoch = ? AND status = 'running'";
  return db.get(sql, runId, owner, epoch) !== undefined;
}

export function leaseKey({ runId, epoch }: Pick<Lease, 'runId' | 'epoch'>): string {
  return `${runId} ${epoch}`;
}

/** After this many crashes a run executes alone, so that further crashes are certainly its own. */
const SHARED_CRASHES = 2;

export interface Peer {
  readonly beat: number;
  /** Whether its process is known to have ended, which only a worker on the same machine can tell. */
  readonly isGone: boolean;
}

/**
 * Creates a watch over the heartbeats of the other workers. It uses a monotonic clock and never compares times of two machines. If it was held up itself, for instance by a locked file, the others
 * may have been too, so it starts over.
 */
export function createPeerWatch(leaseMs: number, now: () => number = () => performance.now()) {
  let seen = new Map<string, { readonly beat: number; readonly sinceMs: number }>();
  let lookedMs = now();
  return {
    /** Returns the ids of workers whose process is gone, or whose last heartbeat is at least a lease ago by the clock of this process. */
    lost(workers: ReadonlyMap<string, Peer>): readonly string[] {
      const nowMs = now();
      if (nowMs - lookedMs > leaseMs / 2) seen = new Map();
      lookedMs = nowMs;
      const next: typeof seen = new Map();
      const lost: string[] = [];
      for (const [id, { beat, isGone }] of workers) {
        const before = seen.get(id);
        const current = before?.beat === beat ? before : { beat, sinceMs: nowMs };
        next.set(id, current);
        if (isGone || nowMs - current.sinceMs >= leaseMs) lost.push(id);
      }
      seen = next;
      return lost;
    },
  };
}

export function readPeers(db: Database, own: string): ReadonlyMap<string, Peer> {
  const rows = db.all('SELECT id, beat, info FROM workers WHERE id <> ?', own);
  return new Map(
    rows.map((row) => [text(row, 'id'), { beat: Number(row['beat']), isGone: hasEnded(parseJson(text(row, 'info'))) }]),
  );
}

/**
 * Requeues the runs of a worker that is gone, unless it has sent a heartbeat since. A run that shared its process counts at most two crashes, since another run
 * may have killed the process. `maxCrashes` returns how many crashes make a run of an agent fail.
 */
export function takeOver(db: Database, worker: string, beat: number, maxCrashes: (agent: string) => number): void {
  if (db.run('DELETE FROM workers WHERE id = ? AND beat = ?', worker, beat) > 0) releaseDead(db, worker, maxCrashes);
}

/** Requeues the runs of workers that are no longer registered. */
export function releaseOrphans(db: Database, maxCrashes: (agent: string) => number): void {
  const rows = db.all(
    'SELECT DISTINCT owner FROM runs WHERE owner IS NOT NULL AND owner NOT IN (SELECT id FROM workers)',
  );
  for (const row of rows) releaseDead(db, text(row, 'owner'), maxCrashes);
}

/** Requeues runs that a worker holds without an attempt, because the end of the attempt could not be written. */
export function releaseUnattended(db: Database, worker: string, isAttended: (key: string) => boolean): void {
  for (const row of db.all('SELECT id, epoch FROM runs WHERE owner = ?', worker)) {
    const runId = text(row, 'id');
    if (!isAttended(leaseKey({ runId, epoch: Number(row['epoch']) })))
      db.run("UPDATE runs SET status = 'queued', owner = NULL, is_alone = 0 WHERE id = ?", runId);
  }
}

function releaseDead(db: Database, worker: string, maxCrashes: (agent: string) => number): void {
  const now = Date.now();
  for (const row of db.all('SELECT id, agent, deaths, is_alone, is_cancelled FROM runs WHERE owner = ?', worker)) {
    const id = text(row, 'id');
    const before = Number(row['deaths']);
    const crashes = Number(row['is_alone']) === 1 ? before + 1 : Math.max(before, Math.min(before + 1, SHARED_CRASHES));
    const sql =
      "UPDATE runs SET status = 'queued', owner = NULL, is_alone = 0, epoch = epoch + 1, deaths = ?, updated_at = ? WHERE id = ?";
    db.run(sql, crashes, now, id);
    if (Number(row['is_cancelled']) === 1) endRun(db, id, 'cancelled', JSON.stringify({ reason: 'aborted' }));
    else if (crashes >= maxCrashes(text(row, 'agent'))) endRun(db, id, 'failed', JSON.stringify(killed(crashes)));
  }
}

export function runsAlone(crashes: number): boolean {
  return crashes >= SHARED_CRASHES;
}

function killed(crashes: number): object {
  const message = `Its process died ${crashes} times while it ran.`;
  return {
    reason: 'error',
    error: {
      name: 'KernelError',
      code: 'LIMIT_REACHED',
      message,
      hint: 'Check what its last calls do before you retry it.',
    },
  };
}
