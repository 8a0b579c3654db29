import {
  checkChoice,
  checkDecision,
  checkKeys,
  checkNumber,
  checkPurge,
  checkSteer,
  checkOutcomeResolution,
  KernelError,
  optionKeys,
  type RecordedRun,
  type RecordedRuns,
  toJsonText,
} from '@kernel/protocol';
import { createChanges, createChangeWaiter } from './database/changes.ts';
import { closedError, type Durability, openDatabase, reading } from './database/database.ts';
import { createGroupCommit } from './database/group-commit.ts';
import { checkCall, checkFilter, checkId, checkRetry, checkStart, MAX_ID } from './runs/checks.ts';
import { readEvents } from './runs/events.ts';
import { FINAL, listRuns, listWaiting, noSuchRun, readInput, readRun, readStatus } from './runs/read-run.ts';
import { addMessage, answerCall, cancelRun, purgeRuns, retryRun, stopRun } from './runs/signals.ts';
import { startRun } from './runs/start-run.ts';
import { createStoredTasks, type StoredTask, type StoredTasks } from './tasks/task-store.ts';
import type { DurableRunFilter, DurableStartOptions, RunInput } from './types.ts';
import { startWorker, type Worker } from './worker/worker.ts';
import type { WorkerOptions } from './worker/worker-options.ts';

/** Options of `openDurable`. */
export interface DurableOptions {
  /** What a commit survives: a crash of the process, or a power loss as well, at the cost of a disk sync per commit. Default `process`. */
  readonly durability?: Durability | undefined;
}

/**
 * The runs in a journal file, shared by any number of processes on one machine. Every method may be called in any of them. All of them reject with
 * `STORE_FAILED` if the file cannot be read or written, and with `CONFIG_INVALID` for a run that does not exist. `decide` and `steer` also accept a run that
 * has not been started yet, and reject with `LIMIT_REACHED` once 10,000 signals wait for such runs; `purge` deletes those signals too.
 */
export interface Durable extends RecordedRuns<DurableStartOptions, DurableRunFilter> {
  /** Starts a worker in this process. */
  work(options: WorkerOptions): Worker;
  /** Reads the input a run was started with; undefined if there is no such run. */
  input(id: string): Promise<RunInput | undefined>;
  /**
   * Continues a run that failed or is blocked, keeping what is recorded, and moves it to `version` if given. With `version`, a queued or waiting run is moved
   * too. Rejects with `CONFIG_INVALID` for any other run.
   */
  retry(
    id: string,
    options?: {
      /** The version of the agent that continues the run. Default: the run's own. */
      readonly version?: string | undefined;
    },
  ): Promise<void>;
  /** Opens the tasks of a server in this file: pass it as `tasks.store` to `serveHttp` of `@kernel/mcp`, for one server at a time. */
  taskStore<Task extends StoredTask>(): StoredTasks<Task>;
  /**
   * Closes the file. Calling it again has no effect. Drain its workers first; otherwise it throws `CONFIG_INVALID`. Pending operations, and every
   * later operation, reject with `STORE_FAILED`.
   */
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
 *   agents: { helper: { run: (context) => run({ provider, model: 'qwen3', ...context }) } },
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
  const waiter = createChangeWaiter(changes);
  const { write } = createGroupCommit(db, changes.notify);
  const workers = new Set<Worker>();
  let isClosed = false;
  /** Writes something for a run that may be running. */
  const send = <T>(work: () => T): Promise<T> => write(work, 'signal');

  const requireRun = (id: string): RecordedRun => {
    const run = readRun(db, id);
    if (run === undefined) throw noSuchRun(id);
    return run;
  };

  return {
    work(workerOptions) {
      if (isClosed) throw closedError();
      const worker = startWorker(db, { write }, changes, workerOptions, (ended) => workers.delete(ended));
      workers.add(worker);
      return worker;
    },
    async start(id, startOptions) {
      checkStart(id, startOptions);
      const { messages, input, ...rest } = startOptions;
      const owner = `start(${JSON.stringify(id)})`;
      // What the caller changes from here on does not count.
      const stored = toJsonText(owner, { messages, input });
      return write(() => startRun(db, id, rest, stored));
    },
    async status(id) {
      checkId('status', id);
      return reading(() => readRun(db, id));
    },
    async input(id) {
      checkId('input', id);
      return reading(() => readInput(db, id));
    },
    async list(filter = {}) {
      checkFilter(filter);
      return reading(() => listRuns(db, filter));
    },
    async result(id, waitOptions = {}) {
      checkId('result', id);
      const check = (): RecordedRun | undefined => {
        const status = readStatus(db, id);
        return status === undefined || FINAL.has(status) ? requireRun(id) : undefined;
      };
      return waiter.until(() => reading(check), waitOptions.signal, 'status');
    },
    async waiting(id) {
      if (id !== undefined) checkId('waiting', id);
      return reading(() => listWaiting(db, id));
    },
    async decide(id, callId, decision) {
      checkCall('decide', id, callId);
      checkDecision(decision);
      return write(() => answerCall(db, id, callId, 'approval', decision));
    },
    async resolveOutcome(id, callId, answer) {
      checkCall('resolveOutcome', id, callId);
      checkOutcomeResolution(answer);
      return write(() => answerCall(db, id, callId, 'unknown', answer));
    },
    async steer(id, message, steerOptions = {}) {
      checkId('steer', id);
      checkSteer(message, steerOptions);
      return send(() => addMessage(db, id, steerOptions.after === 'answer' ? 'followUp' : 'steer', message));
    },
    async stop(id) {
      checkId('stop', id);
      return send(() => stopRun(db, id));
    },
    async cancel(id) {
      checkId('cancel', id);
      return send(() => cancelRun(db, id));
    },
    async retry(id, retryOptions = {}) {
      checkId('retry', id);
      checkRetry(retryOptions);
      return write(() => retryRun(db, id, retryOptions.version));
    },
    async *events(id, eventsOptions = {}) {
      checkId('events', id);
      const { after = 0, follow = true, signal } = eventsOptions;
      checkNumber('events', 'after', after, 0);
      let last = after;
      for (;;) {
        const isOver = reading(() => FINAL.has(requireRun(id).status));
        const page = reading(() => readEvents(db, id, last, PAGE));
        for (const each of page) {
          yield each;
          last = each.seq;
        }
        if (page.length === PAGE) continue;
        if (isOver || !follow) return;
        const from = last;
        const isChanged = (): boolean => FINAL.has(requireRun(id).status) || readEvents(db, id, from, 1).length > 0;
        await waiter.until(() => (reading(isChanged) ? true : undefined), signal, 'progress');
      }
    },
    async purge(purgeOptions = {}) {
      checkPurge(purgeOptions, MAX_ID);
      return write(() => purgeRuns(db, purgeOptions));
    },
    taskStore: () => createStoredTasks(db, { write }),
    close() {
      if (isClosed) return;
      if (workers.size > 0)
        throw new KernelError('CONFIG_INVALID', 'close() was called while workers of this process are at work.', {
          hint: 'await worker.drain() first.',
        });
      isClosed = true;
      waiter.close();
      changes.close();
      db.close();
    },
  };
}
