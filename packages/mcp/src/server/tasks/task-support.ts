import { MAX_TIMER_MS } from '@kernel/internal';
import { checkKeys, KernelError, optionKeys } from '@kernel/protocol';
import type { Server } from '@modelcontextprotocol/server';
import { checkWholeNumber } from '../whole-number.ts';
import { createServerTasks, type TaskSettings } from './server-tasks.ts';
import { taskCallOf } from './task-call.ts';
import { handleTaskRequests } from './task-requests.ts';
import { createMemoryTaskStore, type TaskStore } from './task-store.ts';
import { createTaskSubscriptions } from './task-subscription.ts';

/** How calls become tasks for clients of 2026-07-28 with the extension `io.modelcontextprotocol/tasks`. Others wait. */
export interface TaskOptions {
  /** How long a call runs before it becomes a task. Default 5000. An async tool makes it one at once. */
  readonly afterMs?: number | undefined;
  /** How long a task may run, and how long its result is kept after that. Default 3,600,000 (an hour). */
  readonly ttlMs?: number | undefined;
  /** How often clients are told to ask for a task. Default 1000. */
  readonly pollIntervalMs?: number | undefined;
  /** The names of tools whose calls are tasks from the start. Clients that know no tasks cannot call them. */
  readonly required?: readonly string[] | undefined;
  /** Keeps the tasks. Default: 10,000 in memory, of at most 64 MiB. */
  readonly store?: TaskStore | undefined;
}

const KEYS = optionKeys<TaskOptions>({
  afterMs: true,
  ttlMs: true,
  pollIntervalMs: true,
  required: true,
  store: true,
});

export function taskSettings(subject: string, options: TaskOptions): TaskSettings {
  checkKeys(subject, options, KEYS, 'tasks.');
  const { required = [], store = createMemoryTaskStore() } = options;
  for (const name of ['save', 'load', 'remove'] as const)
    if (typeof store[name] !== 'function')
      throw new KernelError('CONFIG_INVALID', `${subject}: tasks.store has no function "${name}".`, {
        hint: 'Pass a TaskStore, such as createMemoryTaskStore().',
      });
  const wholeNumber = (name: 'afterMs' | 'ttlMs' | 'pollIntervalMs', preset: number, minimum: number): number =>
    checkWholeNumber(subject, `tasks.${name}`, options[name] ?? preset, minimum, MAX_TIMER_MS);
  if (!Array.isArray(required))
    throw new KernelError('CONFIG_INVALID', `${subject}: tasks.required is not an array.`, {
      hint: 'List the names of tools.',
    });
  return {
    afterMs: wholeNumber('afterMs', 5000, 0),
    ttlMs: wholeNumber('ttlMs', 3_600_000, 1),
    pollIntervalMs: wholeNumber('pollIntervalMs', 1000, 1),
    required: new Set(required),
    store,
  };
}

/** What a server with tasks has that others never load. */
export type TaskSupport = Awaited<ReturnType<typeof createTaskSupport>>;

/** Creates the tasks of a server, and ends those that were left in its store. Rejects with `CONFIG_INVALID` for options that are not valid. */
export async function createTaskSupport(subject: string, options: TaskOptions, onError?: (error: Error) => void) {
  const tasks = createServerTasks(taskSettings(subject, options), onError);
  await tasks.recover();
  type CallOptions = Parameters<typeof taskCallOf> extends readonly [unknown, ...infer Rest] ? Rest : never;
  const subscriptions = createTaskSubscriptions(tasks);
  return {
    ...subscriptions,
    /** Handles the requests of the extension on the server of one connection. */
    mountOn: (protocol: Server): void => handleTaskRequests(protocol, tasks),
    callOf: (...call: CallOptions): ReturnType<typeof taskCallOf> => taskCallOf(tasks, ...call),
    close(): void {
      subscriptions.close();
      tasks.close();
    },
  };
}
