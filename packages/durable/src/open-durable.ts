import { isObject } from '@kernel/internal';
import { checkChoice, checkKeys, KernelError, type LoggedEvent, optionKeys, type RunSignals } from '@kernel/protocol';
import { type ChangeKind, createChanges } from './database/changes.ts';
import { type Durability, openDatabase } from './database/database.ts';
import { createGroupCommit } from './database/group-commit.ts';
import { readEvents } from './runs/events.ts';
import {
  FINAL,
  listRuns,
  listWaiting,
  noSuchRun,
  readInput,
  readRun,
  readStatus,
  type RunFilter,
} from './runs/read-run.ts';
import { addMessage, answerCall, cancelRun, type PurgeOptions, purgeRuns, retryRun, stopRun } from './runs/signals.ts';
import { checkStart, startRun, type StartOptions } from './runs/start-run.ts';
import type { RunInput, RunRecord } from './types.ts';
import { startWorker, type Worker, type WorkerOptions } from './worker/worker.ts';

/** How a journal is opened. */
export interface DurableOptions {
  /** What a commit outlives: the death of the process, or a loss of power too, which costs a sync of the disk for each commit. Default `process`. */
  readonly durability?: Durability | undefined;
}

/** Ends waiting, and the reading of events. */
export interface WaitOptions {
  /** Rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Which events to read. */
export interface EventsOptions extends WaitOptions {
  /** Only those after this position. Default 0: all. */
  readonly after?: number | undefined;
  /** Whether to go on until the run is over. Default true. */
  readonly follow?: boolean | undefined;
}

/**
 * Runs in a journal file, for any number of processes on one machine. Every method may be called in any of them. All of them reject with `STORE_FAILED`
 * where the file fails, and with `CONFIG_INVALID` for a run that there is not; only `decide` and `steer` take one that is still to be started, and reject
 * with `LIMIT_REACHED` if 10,000 signals wait for such runs.
 */
export interface Durable extends RunSignals {
  /** Starts a worker in this process. */
  work(options: WorkerOptions): Worker;
  /** Starts a run once: the same id with the same input again changes nothing. Resolves to whether it is new, once it is written. */
  start(id: string, options: StartOptions): Promise<boolean>;
  /** Reads a run; undefined if there is none. */
  status(id: string): Promise<RunRecord | undefined>;
  /** Reads what a run was started with; undefined if there is none. */
  input(id: string): Promise<RunInput | undefined>;
  /** Lists runs, the latest first. */
  list(filter?: RunFilter): Promise<readonly RunRecord[]>;
  /** Resolves when the run is over, however it ended. A blocked run is not over. */
  result(id: string, options?: WaitOptions): Promise<RunRecord>;
  /**
   * Goes on with a run that failed or is blocked, as `version` if given. What is recorded stays. With `version`, one that is queued or waits gets that
   * version. Rejects with `CONFIG_INVALID` for any other run.
   */
  retry(id: string, options?: { readonly version?: string | undefined }): Promise<void>;
  /** The events of a run, in order; `after` goes on where a reader left. */
  events(id: string, options?: EventsOptions): AsyncGenerator<LoggedEvent, void>;
  /** Deletes runs that are over, with everything that is known of them, and signals for runs that were never started. Resolves to how many runs. */
  purge(options?: PurgeOptions): Promise<number>;
  /** Closes the file. Drain its workers first. */
  close(): void;
}

const KEYS = optionKeys<DurableOptions>({ durability: true });
const PAGE = 200;

/**
 * Opens a journal of runs, or creates one, readable by its owner only. Throws `STORE_FAILED` for a file that cannot be used. The file must be on a disk
 * of this machine.
 *
 * @example
 * ```ts
 * import { run } from '@kernel/agent';
 * import { openDurable } from '@kernel/durable';
 * import { createProvider } from '@kernel/providers';
 *
 * const db = openDurable('runs.db');
 * const provider = createProvider({ name: 'ollama' });
 * const worker = db.work({
 *   agents: { helper: { run: (executor) => run({ provider, model: 'qwen3', ...executor }) } },
 * });
 * await db.start('ticket-42', { agent: 'helper', messages: [{ role: 'user', content: 'Why is the sky blue?' }] });
 * const { status, result } = await db.result('ticket-42');
 * await worker.drain();
 * db.close();
 * ```
 */
export function openDurable(path: string, options: DurableOptions = {}): Durable {
  checkKeys('openDurable', options, KEYS);
  checkChoice('openDurable', 'durability', options.durability, ['process', 'power']);
  const db = openDatabase(path, options.durability ?? 'process');
  const changes = createChanges(db);
  const { write } = createGroupCommit(db, changes.notify);
  const workers = new Set<Worker>();
  /** Writes something for a run that may be at work. */
  const send = <T>(work: () => T): Promise<T> => write(work, 'signal');

  /** Waits until `check` returns something; it is asked again after each change of this kind or more. */
  function until<T>(
    check: () => T | undefined,
    signal: AbortSignal | undefined,
    least: ChangeKind = 'status',
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const end = (settle: () => void): void => {
        unsubscribe();
        signal?.removeEventListener('abort', abort);
        settle();
      };
      const abort = (): void => end(() => reject(signal?.reason));
      const look = (): void => {
        try {
          const found = check();
          if (found !== undefined) end(() => resolve(found));
        } catch (error) {
          end(() => reject(error));
        }
      };
      const unsubscribe = changes.subscribe((kind) => {
        if (kind !== 'progress' || least === 'progress') look();
      });
      if (signal?.aborted === true) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      look();
    });
  }

  const known = (id: string): RunRecord => {
    const run = readRun(db, id);
    if (run === undefined) throw noSuchRun(id);
    return run;
  };

  return {
    work(workerOptions) {
      const worker = startWorker(db, { write }, changes, workerOptions);
      workers.add(worker);
      return worker;
    },
    async start(id, startOptions) {
      checkStart(id, startOptions);
      return write(() => startRun(db, id, startOptions));
    },
    status: async (id) => readRun(db, id),
    input: async (id) => readInput(db, id),
    list: async (filter = {}) => listRuns(db, filter),
    result: async (id, { signal } = {}) =>
      until(() => {
        const status = readStatus(db, id);
        return status === undefined || FINAL.has(status) ? known(id) : undefined;
      }, signal),
    waiting: async (id) => listWaiting(db, id),
    async decide(id, callId, decision) {
      checkDecision(decision);
      return write(() => answerCall(db, id, callId, 'approval', decision));
    },
    resolveUnknown: async (id, callId, answer) => write(() => answerCall(db, id, callId, 'unknown', answer)),
    steer: async (id, message, { after = 'call' } = {}) =>
      send(() => addMessage(db, id, after === 'answer' ? 'followUp' : 'steer', message)),
    stop: async (id) => send(() => stopRun(db, id)),
    cancel: async (id) => send(() => cancelRun(db, id)),
    retry: async (id, { version } = {}) => write(() => retryRun(db, id, version)),
    async *events(id, { after = 0, follow = true, signal } = {}) {
      let last = after;
      for (;;) {
        const isOver = FINAL.has(known(id).status);
        const page = readEvents(db, id, last, PAGE);
        for (const each of page) {
          yield each;
          last = each.seq;
        }
        if (page.length === PAGE) continue;
        if (isOver || !follow) return;
        const from = last;
        await until(
          () => (FINAL.has(known(id).status) || readEvents(db, id, from, 1).length > 0 ? true : undefined),
          signal,
          'progress',
        );
      }
    },
    purge: async (purgeOptions = {}) => write(() => purgeRuns(db, purgeOptions)),
    close() {
      if ([...workers].some(({ size }) => size > 0))
        throw new KernelError('CONFIG_INVALID', 'close() was called while workers of this process have runs.', {
          hint: 'await worker.drain() first.',
        });
      changes.close();
      db.close();
    },
  };
}

/** Throws `CONFIG_INVALID` for a decision that no run could use. */
function checkDecision(decision: unknown): void {
  if (isObject(decision)) {
    const { decision: kind, reason, arguments: edited } = decision;
    if (kind === 'allow' || (kind === 'deny' && typeof reason === 'string')) return;
    if (kind === 'edit' && typeof edited === 'string') return;
  }
  throw new KernelError('CONFIG_INVALID', 'decide() was called without a decision.', {
    hint: 'Pass { decision: "allow" }, { decision: "deny", reason: "…" } or { decision: "edit", arguments: "{…}" }.',
  });
}
