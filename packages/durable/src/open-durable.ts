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
import type { RunInput, DurableRun } from './types.ts';
import { startWorker, type Worker, type WorkerOptions } from './worker/worker.ts';

/** Options of `openDurable`. */
export interface DurableOptions {
  /** What a commit survives: the death of the process, or a power loss as well, at the price of a disk sync per commit. Default `process`. */
  readonly durability?: Durability | undefined;
}

/** Options of a method that waits. */
export interface WaitOptions {
  /** Ends the wait: the method rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Which events to read. */
export interface EventsOptions extends WaitOptions {
  /** Return only events after this position. Default 0: all. */
  readonly after?: number | undefined;
  /** Whether to wait for new events until the run is over. Default true. */
  readonly follow?: boolean | undefined;
}

/**
 * The runs in a journal file, shared by any number of processes on one machine. Every method may be called in any of them. All of them reject with
 * `STORE_FAILED` if the file cannot be read or written, and with `CONFIG_INVALID` for a run that does not exist. `decide` and `steer` also accept a run that
 * has not been started yet, and reject with `LIMIT_REACHED` once 10,000 signals wait for such runs.
 */
export interface Durable extends RunSignals {
  /** Starts a worker in this process. */
  work(options: WorkerOptions): Worker;
  /** Starts a run. Starting it again with the same id and input changes nothing. Resolves to whether the run is new, once it is written. */
  start(id: string, options: StartOptions): Promise<boolean>;
  /** Reads a run; undefined if there is none with this id. */
  status(id: string): Promise<DurableRun | undefined>;
  /** Reads the input a run was started with; undefined if there is no such run. */
  input(id: string): Promise<RunInput | undefined>;
  /** Lists runs, latest first. */
  list(filter?: RunFilter): Promise<readonly DurableRun[]>;
  /** Resolves once the run is over, however it ended. A blocked run is not over. */
  result(id: string, options?: WaitOptions): Promise<DurableRun>;
  /**
   * Continues a run that failed or is blocked, keeping what is recorded, and moves it to `version` if given. With `version`, a queued or waiting run is moved
   * too. Rejects with `CONFIG_INVALID` for any other run.
   */
  retry(id: string, options?: { readonly version?: string | undefined }): Promise<void>;
  /** Yields the events of a run in order; `after` resumes from a position. */
  events(id: string, options?: EventsOptions): AsyncGenerator<LoggedEvent, void>;
  /** Deletes runs that are over with all their data, and signals for runs that were never started. Resolves to the number of deleted runs. */
  purge(options?: PurgeOptions): Promise<number>;
  /** Closes the file. Drain its workers first. */
  close(): void;
}

const KEYS = optionKeys<DurableOptions>({ durability: true });
const PAGE = 200;

/**
 * Opens a journal of runs, creating it readable by its owner only if it does not exist. Throws `STORE_FAILED` for a file that cannot be used. The file must be
 * on a local disk; `:memory:` opens a journal that only this process has.
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
  /** Writes something that a running run has to hear of. */
  const send = <T>(work: () => T): Promise<T> => write(work, 'signal');

  /** Waits until `check` returns something. It is called again after each change of at least this kind. */
  function until<T>(
    check: () => T | undefined,
    signal: AbortSignal | undefined,
    minimum: ChangeKind = 'status',
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const end = (settle: () => void): void => {
        unsubscribe();
        signal?.removeEventListener('abort', abort);
        settle();
      };
      const abort = (): void => end(() => reject(signal?.reason));
      const recheck = (): void => {
        try {
          const found = check();
          if (found !== undefined) end(() => resolve(found));
        } catch (error) {
          end(() => reject(error));
        }
      };
      const unsubscribe = changes.subscribe((kind) => {
        if (kind !== 'progress' || minimum === 'progress') recheck();
      });
      if (signal?.aborted === true) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      recheck();
    });
  }

  const requireRun = (id: string): DurableRun => {
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
        return status === undefined || FINAL.has(status) ? requireRun(id) : undefined;
      }, signal),
    waiting: async (id) => listWaiting(db, id),
    async decide(id, callId, decision) {
      checkDecision(decision);
      return write(() => answerCall(db, id, callId, 'approval', decision));
    },
    resolveUnknown: async (id, callId, resolution) => write(() => answerCall(db, id, callId, 'unknown', resolution)),
    steer: async (id, message, { after = 'call' } = {}) =>
      send(() => addMessage(db, id, after === 'answer' ? 'followUp' : 'steer', message)),
    stop: async (id) => send(() => stopRun(db, id)),
    cancel: async (id) => send(() => cancelRun(db, id)),
    retry: async (id, { version } = {}) => write(() => retryRun(db, id, version)),
    async *events(id, { after = 0, follow = true, signal } = {}) {
      let last = after;
      for (;;) {
        const isOver = FINAL.has(requireRun(id).status);
        const page = readEvents(db, id, last, PAGE);
        for (const each of page) {
          yield each;
          last = each.seq;
        }
        if (page.length === PAGE) continue;
        if (isOver || !follow) return;
        const from = last;
        await until(
          () => (FINAL.has(requireRun(id).status) || readEvents(db, id, from, 1).length > 0 ? true : undefined),
          signal,
          'progress',
        );
      }
    },
    purge: async (purgeOptions = {}) => write(() => purgeRuns(db, purgeOptions)),
    close() {
      if ([...workers].some(({ size }) => size > 0))
        throw new KernelError('CONFIG_INVALID', 'close() was called while workers of this process still have runs.', {
          hint: 'await worker.drain() first.',
        });
      changes.close();
      db.close();
    },
  };
}

/** Throws `CONFIG_INVALID` for a malformed decision. */
function checkDecision(decision: unknown): void {
  if (isObject(decision)) {
    const { decision: kind, reason, arguments: edited } = decision;
    if (kind === 'allow' || (kind === 'deny' && typeof reason === 'string')) return;
    if (kind === 'edit' && typeof edited === 'string') return;
  }
  throw new KernelError('CONFIG_INVALID', 'decide() was called without a valid decision.', {
    hint: 'Pass { decision: "allow" }, { decision: "deny", reason: "…" } or { decision: "edit", arguments: "{…}" }.',
  });
}
