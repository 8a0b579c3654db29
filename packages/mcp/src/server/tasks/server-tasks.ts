import { errorMessage } from '@kernel/internal';
import { INVALID_PARAMS, rpcError } from '../../json-rpc.ts';
import { createRunningTask, type RunningTask } from './running-task.ts';
import type { TaskRecord, TaskStore } from './task-store.ts';

export interface TaskSettings {
  readonly afterMs: number;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  readonly required: ReadonlySet<string>;
  readonly store: TaskStore;
}

/** The tasks of a server. */
export type ServerTasks = ReturnType<typeof createServerTasks>;

export function createServerTasks(settings: TaskSettings, report: (error: Error) => void = () => {}) {
  const { store, ttlMs } = settings;
  const running = new Map<string, RunningTask>();
  const expiries = new Map<string, NodeJS.Timeout>();
  const watchers = new Map<string, Set<(task: TaskRecord) => void>>();
  let isClosed = false;

  const onError = (error: unknown): void => report(error instanceof Error ? error : new Error(errorMessage(error)));
  const expire = (id: string): void => {
    running.get(id)?.abort(`the task ran for ${ttlMs} ms (tasks.ttlMs)`);
    running.delete(id);
    expiries.delete(id);
    watchers.delete(id);
    (async () => store.remove(id))().catch(onError);
  };
  const expireLater = ({ id, expiresMs }: TaskRecord): void => {
    clearTimeout(expiries.get(id));
    if (!isClosed) expiries.set(id, setTimeout(expire, expiresMs - Date.now(), id).unref());
  };

  /** The task of this id, if it is the caller's. Rejects with a JSON-RPC error otherwise, in the same words whatever the reason. */
  async function get(id: unknown, caller: string): Promise<TaskRecord> {
    const task = typeof id === 'string' ? (running.get(id)?.record() ?? (await store.load(id))) : undefined;
    if (task === undefined || task.caller !== caller || task.expiresMs <= Date.now())
      throw rpcError(INVALID_PARAMS, 'Unknown task: none has this id, or it has expired');
    return task;
  }

  return {
    settings,
    /** Begins a task, which can be asked for once this resolves. Rejects if the store has no room for it. */
    async start(
      caller: string,
      call: TaskRecord['call'],
      answers: { readonly [name: string]: unknown },
    ): Promise<RunningTask> {
      const nowMs = Date.now();
      const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs: nowMs + ttlMs };
      const record: TaskRecord = { id: crypto.randomUUID(), caller, call, ...times, status: 'working', answers };
      const { id } = record;
      await store.save(record);
      const task = createRunningTask(record, {
        store,
        ttlMs,
        onError,
        onChange(changed) {
          for (const listener of watchers.get(id) ?? []) listener(changed);
        },
        onEnd(ended) {
          running.delete(id);
          expireLater(ended);
        },
      });
      running.set(id, task);
      expireLater(record);
      if (isClosed) task.abort(CLOSED);
      return task;
    },
    /** Ends what the last server with this store left behind: the call is gone, and what it did is unknown. */
    async recover(): Promise<void> {
      const left = (await store.unfinished?.()) ?? [];
      await Promise.all(left.map(async (task) => store.save(interrupted(task, Date.now() + ttlMs))));
    },
    get,
    /** Gives the answers of a client to the task. Those that nobody asked for are ignored. */
    async update(id: unknown, caller: string, answers: { readonly [name: string]: unknown }): Promise<void> {
      const task = running.get((await get(id, caller)).id);
      for (const [name, answer] of Object.entries(answers)) task?.answer(name, answer);
    },
    /** Cancels the task, unless it has ended. */
    async cancel(id: unknown, caller: string): Promise<void> {
      running.get((await get(id, caller)).id)?.cancel();
    },
    /** Calls `listener` after each change of a task. Returns a function that stops it. */
    watch(id: string, listener: (task: TaskRecord) => void): () => void {
      const listeners = watchers.get(id) ?? new Set();
      watchers.set(id, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && watchers.get(id) === listeners) watchers.delete(id);
      };
    },
    /** Aborts what runs. A store that outlives the server keeps it as it was. */
    close(): void {
      isClosed = true;
      for (const task of running.values()) task.abort(CLOSED);
      for (const timer of expiries.values()) clearTimeout(timer);
      expiries.clear();
      running.clear();
      watchers.clear();
    },
  };
}

function interrupted(left: TaskRecord, expiresMs: number): TaskRecord {
  const { questions: _, ...task } = left;
  const text = `OUTCOME_UNKNOWN: the server ended while "${task.call.name}" ran. Whether it took effect is unknown: check before calling again.`;
  const result = { content: [{ type: 'text' as const, text }], isError: true };
  return { ...task, status: 'completed', result, updatedMs: Date.now(), expiresMs };
}

const CLOSED = 'the server has been closed';
