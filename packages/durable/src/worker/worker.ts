import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { MAX_TIMER_MS, ownIdentity } from '@kernel/internal';
import { checkNumber, KernelError } from '@kernel/protocol';
import type { Changes } from '../database/changes.ts';
import type { Database } from '../database/database.ts';
import type { Writer } from '../database/group-commit.ts';
import { cancelRun } from '../runs/signals.ts';
import { type Attempt, failUnreadable, startAttempt } from './attempt.ts';
import { claimRuns, hasQueued, overdueRuns, denyOverdueCalls } from './claim.ts';
import { createPeerWatch, leaseKey, readPeers, releaseOrphans, releaseUnattended, takeOver } from './leases.ts';
import { checkWorker, type WorkerOptions } from './worker-options.ts';

/** A running worker. */
export interface Worker {
  /** Its unique id. */
  readonly id: string;
  /** The number of runs it has now. */
  readonly size: number;
  /**
   * Claims no more runs, gives the steps in flight up to `graceMs` to end, aborts the rest, and releases its runs for other workers. Resolves when that is
   * done. Default 10,000.
   */
  drain(this: void, graceMs?: number): Promise<void>;
}

const MAX_RUNS = 32;
const LEASE_MS = 10_000;
const MAX_ATTEMPTS = 4;
const GRACE_MS = 10_000;

/** Starts a worker of a journal. It keeps its process alive until it is drained, then calls `onDrained`. */
export function startWorker(
  db: Database,
  writer: Writer,
  changes: Changes,
  options: WorkerOptions,
  onDrained?: (worker: Worker) => void,
): Worker {
  checkWorker(options);
  const { agents, maxRuns = MAX_RUNS, leaseMs = LEASE_MS, onError = console.error } = options;
  const id = `${hostname()}-${process.pid}-${randomUUID()}`;
  const attempts = new Map<string, Attempt>();
  const peers = createPeerWatch(leaseMs);
  let isDraining = false;
  let isClaiming = false;
  let mustClaimAgain = false;
  let claiming = Promise.resolve();

  const maxCrashes = (agent: string): number => agents[agent]?.maxAttempts ?? MAX_ATTEMPTS;
  const register = (): number =>
    db.run(
      'INSERT OR IGNORE INTO workers (id, info) VALUES (?, ?)',
      id,
      JSON.stringify({ ...ownIdentity(), agents: Object.keys(agents) }),
    );

  /** Sends a heartbeat, takes over from workers that are gone, and enforces deadlines. */
  const sendHeartbeat = async (): Promise<void> => {
    const isKnown = await writer.write(() => {
      const known = db.run('UPDATE workers SET beat = beat + 1 WHERE id = ?', id) > 0;
      if (!known) register();
      const workers = readPeers(db, id);
      for (const lost of peers.lost(workers)) takeOver(db, lost, workers.get(lost)?.beat ?? 0, maxCrashes);
      releaseOrphans(db, maxCrashes);
      if (!isClaiming) releaseUnattended(db, id, (key) => attempts.has(key));
      denyOverdueCalls(db);
      for (const runId of overdueRuns(db)) cancelRun(db, runId);
      return known;
    });
    // Others took over its runs while it was frozen, so nothing it still does may count.
    if (!isKnown) for (const attempt of attempts.values()) attempt.abandon('lost');
  };

  const claim = (): void => {
    if (isClaiming) mustClaimAgain = true;
    else claiming = claimAll().catch(onError);
  };
  const claimAll = async (): Promise<void> => {
    isClaiming = true;
    try {
      do {
        mustClaimAgain = false;
        const isAlone = [...attempts.values()].some((attempt) => attempt.claim.isAlone);
        const capacity = { count: isDraining || isAlone ? 0 : maxRuns - attempts.size, isIdle: attempts.size === 0 };
        if (capacity.count <= 0 || !hasQueued(db, agents)) return;
        const claims = await writer.write(() => (register() > 0 ? [] : claimRuns(db, id, agents, capacity)));
        for (const each of claims) begin(each);
      } while (mustClaimAgain);
    } finally {
      isClaiming = false;
    }
  };

  const begin = (each: Attempt['claim']): void => {
    const agent = agents[each.agent];
    if (agent === undefined) return;
    let attempt: Attempt;
    try {
      attempt = startAttempt(db, writer, each, agent);
    } catch (error) {
      // What cannot be read for now is found by the next heartbeat.
      if (KernelError.is(error)) failUnreadable(db, writer, each, error).catch(onError);
      else onError(error);
      return;
    }
    const key = leaseKey(each);
    attempts.set(key, attempt);
    if (isDraining) attempt.drain();
    void forget(attempt, key);
  };

  const forget = async (attempt: Attempt, key: string): Promise<void> => {
    await attempt.ended;
    attempts.delete(key);
    update();
  };

  const update = (mayConcernRuns = true): void => {
    for (const attempt of mayConcernRuns ? attempts.values() : []) {
      try {
        attempt.refresh();
      } catch (error) {
        onError(error);
      }
    }
    claim();
  };

  const unsubscribe = changes.subscribe((kind) => {
    if (kind !== 'progress') update(kind === 'signal');
  });
  const timer = setInterval(
    () => void sendHeartbeat().then(() => update(), onError),
    Math.min(leaseMs / 4, MAX_TIMER_MS),
  );
  void sendHeartbeat().then(() => update(), onError);

  let draining: Promise<void> | undefined;
  const drain = async (graceMs: number): Promise<void> => {
    isDraining = true;
    // What it is about to get is given back as well.
    await claiming;
    for (const attempt of attempts.values()) attempt.drain();
    const abort = setTimeout(
      () => {
        for (const attempt of attempts.values()) attempt.abandon('drained');
      },
      Math.min(graceMs, MAX_TIMER_MS),
    );
    await Promise.all([...attempts.values()].map(({ ended }) => ended));
    clearTimeout(abort);
    clearInterval(timer);
    unsubscribe();
    await writer.write(() => db.run('DELETE FROM workers WHERE id = ?', id)).catch(onError);
    onDrained?.(worker);
  };

  const worker: Worker = {
    id,
    get size() {
      return attempts.size;
    },
    async drain(graceMs = GRACE_MS) {
      checkNumber('drain', 'graceMs', graceMs, 0);
      await (draining ??= drain(graceMs));
    },
  };
  return worker;
}
