import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { checkKeys, checkNumber, type DurableAgent, KernelError, optionKeys } from '@kernel/protocol';
import type { Changes } from '../database/changes.ts';
import type { Database } from '../database/database.ts';
import type { Writer } from '../database/group-commit.ts';
import { cancelRun } from '../runs/signals.ts';
import { type Attempt, startAttempt } from './attempt.ts';
import { claimRuns, hasQueued, overdueRuns, denyOverdueCalls } from './claim.ts';
import { createPeerWatch, leaseKey, readPeers, releaseOrphans, releaseUnattended, takeOver } from './leases.ts';
import { ownIdentity } from './process-identity.ts';

/** Options of `work`. */
export interface WorkerOptions {
  /** The agents it runs, by name. Runs of other agents are left to other workers. */
  readonly agents: Readonly<Record<string, DurableAgent>>;
  /** The maximum number of concurrent runs. Default 32. */
  readonly maxRuns?: number | undefined;
  /** How long a worker may miss its heartbeat before others take over its runs, in milliseconds. Must be the same for all workers of a file. Default 10,000. */
  readonly leaseMs?: number | undefined;
  /** Receives errors that belong to no run, such as an unreadable file. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

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

const KEYS = optionKeys<WorkerOptions>({ agents: true, maxRuns: true, leaseMs: true, onError: true });
const AGENT_KEYS = optionKeys<DurableAgent>({
  version: true,
  accepts: true,
  run: true,
  approve: true,
  approvalTimeoutMs: true,
  maxAttempts: true,
  maxResultBytes: true,
  onUnknown: true,
});
const MAX_RUNS = 32;
const LEASE_MS = 10_000;
const MAX_ATTEMPTS = 4;
const GRACE_MS = 10_000;

/** Starts a worker on a journal. It keeps the process alive until it is drained. */
export function startWorker(db: Database, writer: Writer, changes: Changes, options: WorkerOptions): Worker {
  checkWorker(options);
  const { agents, maxRuns = MAX_RUNS, leaseMs = LEASE_MS, onError = console.error } = options;
  const id = `${hostname()}-${process.pid}-${randomUUID()}`;
  const attempts = new Map<string, Attempt>();
  const peers = createPeerWatch(leaseMs);
  let isDraining = false;
  let isClaiming = false;
  let mustClaimAgain = false;

  const maxDeaths = (agent: string): number => agents[agent]?.maxAttempts ?? MAX_ATTEMPTS;
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
      for (const lost of peers.lost(workers)) takeOver(db, lost, workers.get(lost)?.beat ?? 0, maxDeaths);
      releaseOrphans(db, maxDeaths);
      if (!isClaiming) releaseUnattended(db, id, (key) => attempts.has(key));
      denyOverdueCalls(db);
      for (const runId of overdueRuns(db)) cancelRun(db, runId);
      return known;
    });
    // Others took over its runs while it was frozen, so nothing it still does may count.
    if (!isKnown) for (const attempt of attempts.values()) attempt.abandon('lost');
  };

  const claim = async (): Promise<void> => {
    if (isClaiming) {
      mustClaimAgain = true;
      return;
    }
    isClaiming = true;
    try {
      do {
        mustClaimAgain = false;
        const isAlone = [...attempts.values()].some((attempt) => attempt.claim.isAlone);
        const capacity = { count: isDraining || isAlone ? 0 : maxRuns - attempts.size, isIdle: attempts.size === 0 };
        if (capacity.count <= 0 || !hasQueued(db, agents)) return;
        // oxlint-disable-next-line no-await-in-loop -- one claim after the other
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
    const attempt = startAttempt(db, writer, each, agent);
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

  const update = (hasSignals = true): void => {
    try {
      if (hasSignals) for (const attempt of attempts.values()) attempt.refresh();
    } catch (error) {
      onError(error);
    }
    claim().catch(onError);
  };

  const unsubscribe = changes.subscribe((kind) => {
    if (kind !== 'progress') update(kind === 'signal');
  });
  const timer = setInterval(() => void sendHeartbeat().then(() => update(), onError), leaseMs / 4);
  void sendHeartbeat().then(() => update(), onError);

  let draining: Promise<void> | undefined;
  const drain = async (graceMs: number): Promise<void> => {
    isDraining = true;
    for (const attempt of attempts.values()) attempt.drain();
    const abort = setTimeout(() => {
      for (const attempt of attempts.values()) attempt.abandon('drained');
    }, graceMs);
    await Promise.all([...attempts.values()].map(({ ended }) => ended));
    clearTimeout(abort);
    clearInterval(timer);
    unsubscribe();
    await writer.write(() => db.run('DELETE FROM workers WHERE id = ?', id)).catch(onError);
  };

  return {
    id,
    get size() {
      return attempts.size;
    },
    drain: (graceMs = GRACE_MS) => (draining ??= drain(graceMs)),
  };
}

function checkWorker(options: WorkerOptions): void {
  checkKeys('work', options, KEYS);
  checkNumber('work', 'maxRuns', options.maxRuns, 1);
  checkNumber('work', 'leaseMs', options.leaseMs, 100);
  const { agents }: { readonly agents: unknown } = options;
  if (typeof agents !== 'object' || agents === null)
    throw new KernelError('CONFIG_INVALID', 'work() was called without agents.', {
      hint: 'Pass { agents: { support: { run } } }.',
    });
  for (const [name, agent] of Object.entries(options.agents)) {
    checkKeys(`work, agent "${name}"`, agent, AGENT_KEYS);
    checkNumber(`work, agent "${name}"`, 'maxAttempts', agent.maxAttempts, 3);
    checkNumber(`work, agent "${name}"`, 'approvalTimeoutMs', agent.approvalTimeoutMs, 1);
    checkNumber(`work, agent "${name}"`, 'maxResultBytes', agent.maxResultBytes, 1000);
    if (typeof agent.run !== 'function')
      throw new KernelError('CONFIG_INVALID', `work(): the agent "${name}" has no run.`, {
        hint: 'Pass run: (executor) => run({ provider, model, tools, ...executor }).',
      });
  }
}
