import { KernelError } from '@kernel/protocol';
import type { CallToolResult, InputRequests } from '@modelcontextprotocol/server';

/** Where a task is. The last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** What is kept of a task: plain JSON. */
export interface TaskRecord {
  /** Unguessable. */
  readonly id: string;
  /** A digest of who called. Nobody else gets to see the task. */
  readonly caller: string;
  /** The call that became the task. */
  readonly call: {
    /** The name of the tool. */
    readonly name: string;
    /** The arguments, as the client sent them. */
    readonly arguments: { readonly [name: string]: unknown };
  };
  /** When it was created, in ms since 1970. */
  readonly createdMs: number;
  /** When it last changed. */
  readonly updatedMs: number;
  /** When it ends, if it still runs, and may be forgotten. */
  readonly expiresMs: number;
  /** Where it is. */
  readonly status: TaskStatus;
  /** What was last heard of it, for a person or a model. */
  readonly message?: string;
  /** What it asks of the client: only while it is `input_required`. */
  readonly questions?: InputRequests;
  /** What the client has answered, by the names of the questions. */
  readonly answers?: { readonly [name: string]: unknown };
  /** The result of the call: only of a `completed` one, which may have failed as a tool does. */
  readonly result?: CallToolResult;
  /** The JSON-RPC error of a `failed` one. */
  readonly error?: {
    /** Its code. */
    readonly code: number;
    /** What is wrong. */
    readonly message: string;
    /** What a program needs to know of it. */
    readonly data?: unknown;
  };
}

/** Keeps the tasks of a server. Only one server at a time uses a store. */
export interface TaskStore {
  /** Keeps a task, new or changed, and resolves once it is kept. Rejects if there is no room for it: then the call is answered without a task. */
  save(task: TaskRecord): void | Promise<void>;
  /** Resolves to the task of this id, if there is one. */
  load(id: string): TaskRecord | undefined | Promise<TaskRecord | undefined>;
  /** Forgets a task. */
  remove(id: string): void | Promise<void>;
  /** The tasks that had not ended when the last server did. A store without it forgets everything with its server. */
  unfinished?(): readonly TaskRecord[] | Promise<readonly TaskRecord[]>;
}

const MAX_TASKS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** How much a store in memory keeps. */
export interface MemoryTaskLimits {
  /** How many tasks. Default 10,000. */
  readonly maxTasks?: number | undefined;
  /** How much JSON, in characters. Default 64 Mi. */
  readonly maxBytes?: number | undefined;
}

/** Creates the store that a server has by default: in memory, and bounded. */
export function createMemoryTaskStore(limits: MemoryTaskLimits = {}): TaskStore {
  const { maxTasks = MAX_TASKS, maxBytes = MAX_BYTES } = limits;
  const tasks = new Map<string, { readonly task: TaskRecord; readonly bytes: number }>();
  let total = 0;
  const remove = (id: string): void => {
    total -= tasks.get(id)?.bytes ?? 0;
    tasks.delete(id);
  };
  return {
    save(task) {
      const bytes = JSON.stringify(task).length;
      const known = tasks.get(task.id);
      if (known === undefined && tasks.size >= maxTasks) throw full(`it has ${maxTasks} tasks`);
      const next = total + bytes - (known?.bytes ?? 0);
      // A task that becomes smaller always fits: that is how one is ended whose result has no room.
      if (next > maxBytes && bytes > (known?.bytes ?? 0)) throw full(`it has room for ${maxBytes} bytes`);
      tasks.set(task.id, { task, bytes });
      total = next;
    },
    load: (id) => tasks.get(id)?.task,
    remove,
  };
}

function full(why: string): KernelError {
  return new KernelError('LIMIT_REACHED', `The store of tasks is full: ${why}.`, {
    hint: 'Let tasks expire sooner (tasks.ttlMs).',
  });
}
