import type { Database } from '../database/database.ts';
import { endRun } from '../runs/signals.ts';
import { parse, text } from '../runs/read-run.ts';
import { hasEnded } from './process-identity.ts';

/** The lease of one worker on one run. */
export interface Lease {
  /** The run. */
  readonly runId: string;
  /** The worker. */
  readonly owner: string;
  /** Counts the leases of the run. */
  readonly epoch: number;
}

/** Whether a lease still holds. What a worker writes without it must not count. */
export function holdsLease(db: Database, { runId, owner, epoch }: Lease): boolean {
  const sql = "SELECT 1 FROM runs WHERE id = ? AND owner = ? AND epoch = ? AND status = 'running'";
  return db.get(sql, runId, owner, epoch) !== undefined;
}

/** What tells a lease from all others of a worker. */
export function leaseKey({ runId, epoch }: Pick<Lease, 'runId' | 'epoch'>): string {
  return `${runId} ${epoch}`;
}

/** A run whose process died so often counts only its own deaths: from then on it runs alone. */
const SHARED_DEATHS = 2;

/** What is known of another worker. */
export interface Peer {
  /** How often it has said that it lives. */
  readonly beat: number;
  /** Whether its process has ended, which can be told for those of this machine. */
  readonly isGone: boolean;
}

/** Watches the other workers of a file by their beats. */
export interface PeerWatch {
  /** Returns the ids of the workers that are gone, or have not beaten for as long as a lease, by this process's own clock. */
  lost(workers: ReadonlyMap<string, Peer>): readonly string[];
}

/**
 * Creates the watch. It takes the time from a clock that nobody sets, and compares no times of two machines. What held it up itself, such as a locked file,
 * may have held up the others: it begins again then.
 */
export function createPeerWatch(leaseMs: number, now: () => number = () => performance.now()): PeerWatch {
  let seen = new Map<string, { readonly beat: number; readonly sinceMs: number }>();
  let lookedMs = now();
  return {
    lost(workers) {
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

/** All workers but one. */
export function readPeers(db: Database, own: string): ReadonlyMap<string, Peer> {
  const rows = db.all('SELECT id, beat, info FROM workers WHERE id <> ?', own);
  return new Map(
    rows.map((row) => [
      text(row, 'id'),
      { beat: Number(row['beat']), isGone: hasEnded(identityOf(text(row, 'info'))) },
    ]),
  );
}

/** What a worker wrote about itself; undefined for what nobody can read: then its beats tell. */
function identityOf(info: string): unknown {
  try {
    return parse(info);
  } catch {
    return undefined;
  }
}

/**
 * Takes the runs of a worker that is gone back into the queue, unless it has beaten since. A run that ran beside others counts at most two deaths: it may
 * have been the neighbor of one that kills. `maxDeaths` says after how many a run of an agent fails.
 */
export function takeOver(db: Database, worker: string, beat: number, maxDeaths: (agent: string) => number): void {
  if (db.run('DELETE FROM workers WHERE id = ? AND beat = ?', worker, beat) > 0) releaseDead(db, worker, maxDeaths);
}

/** The same for runs whose worker is not known any more. */
export function releaseOrphans(db: Database, maxDeaths: (agent: string) => number): void {
  const rows = db.all(
    'SELECT DISTINCT owner FROM runs WHERE owner IS NOT NULL AND owner NOT IN (SELECT id FROM workers)',
  );
  for (const row of rows) releaseDead(db, text(row, 'owner'), maxDeaths);
}

/** Gives back the runs of a worker that it has no attempt at: one whose end could not be written. */
export function releaseUnattended(db: Database, worker: string, isAttended: (key: string) => boolean): void {
  for (const row of db.all('SELECT id, epoch FROM runs WHERE owner = ?', worker)) {
    const runId = text(row, 'id');
    if (!isAttended(leaseKey({ runId, epoch: Number(row['epoch']) })))
      db.run("UPDATE runs SET status = 'queued', owner = NULL, is_alone = 0 WHERE id = ?", runId);
  }
}

function releaseDead(db: Database, worker: string, maxDeaths: (agent: string) => number): void {
  const now = Date.now();
  for (const row of db.all('SELECT id, agent, deaths, is_alone, is_cancelled FROM runs WHERE owner = ?', worker)) {
    const id = text(row, 'id');
    const before = Number(row['deaths']);
    const deaths = Number(row['is_alone']) === 1 ? before + 1 : Math.max(before, Math.min(before + 1, SHARED_DEATHS));
    db.run(
      "UPDATE runs SET status = 'queued', owner = NULL, is_alone = 0, epoch = epoch + 1, deaths = ?, updated_at = ? WHERE id = ?",
      deaths,
      now,
      id,
    );
    if (Number(row['is_cancelled']) === 1) endRun(db, id, 'cancelled', JSON.stringify({ reason: 'aborted' }));
    else if (deaths >= maxDeaths(text(row, 'agent'))) endRun(db, id, 'failed', JSON.stringify(killed(deaths)));
  }
}

/** Whether a run must have its process for itself. */
export function runsAlone(deaths: number): boolean {
  return deaths >= SHARED_DEATHS;
}

function killed(deaths: number): object {
  const message = `Its process died ${deaths} times while it ran.`;
  return {
    reason: 'error',
    error: { name: 'KernelError', code: 'LIMIT_REACHED', message, hint: 'See what its last calls do, then retry it.' },
  };
}
