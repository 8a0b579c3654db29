import { MAX_TIMER_MS } from '@kernel/internal';
import { checkKeys, KernelError, optionKeys } from '@kernel/protocol';
import { createMemoryTaskStore, type TaskStore } from './task-store.ts';

/** How calls become tasks: for clients of 2026-07-28 that declare the extension `io.modelcontextprotocol/tasks`. All others wait for their result. */
export interface TaskOptions {
  /** How long a call runs before it becomes a task. Default 5000. The call of an async tool becomes one as soon as its tool says so. */
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

export interface TaskSettings {
  readonly afterMs: number;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  readonly required: ReadonlySet<string>;
  readonly store: TaskStore;
}

export function taskSettings(subject: string, options: TaskOptions): TaskSettings {
  checkKeys(subject, options, KEYS, 'tasks.');
  const { required = [], store = createMemoryTaskStore() } = options;
  for (const name of ['save', 'load', 'remove'] as const)
    if (typeof store[name] !== 'function')
      throw new KernelError('CONFIG_INVALID', `${subject}: tasks.store has no function "${name}".`, {
        hint: 'Pass a TaskStore, such as createMemoryTaskStore().',
      });
  const wholeNumber = (name: 'afterMs' | 'ttlMs' | 'pollIntervalMs', preset: number, minimum: number): number => {
    const value = options[name] ?? preset;
    if (Number.isInteger(value) && value >= minimum && value <= MAX_TIMER_MS) return value;
    throw new KernelError('CONFIG_INVALID', `${subject}: tasks.${name} is ${value}.`, {
      hint: `It must be a whole number from ${minimum} to ${MAX_TIMER_MS}.`,
    });
  };
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
