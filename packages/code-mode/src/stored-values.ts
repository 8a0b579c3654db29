import type { CallContext, JsonValue, ToolCall } from '@kernel/protocol';
import type { ProgramValues } from './options.ts';

type Values = Readonly<Record<string, JsonValue>>;

/** What a program changed of the stored values. */
export interface ValueChanges {
  /** The values that it stored, by key. */
  readonly stored: Values;
  /** The keys that it removed. */
  readonly removed: readonly string[];
}

/** The values that the programs of one run have stored. */
export interface StoredValues {
  /** By key. */
  values(): Values;
  /** Keeps what a program changed for the next one. Programs that run at once keep theirs beside each other. */
  save(changes: ValueChanges): Promise<void>;
}

/**
 * Returns what finds the values of the run that a call is made in: by the run's signal, which is the same for all of its calls, and where the run continues in another
 * process, by its id, which the idempotency key of the call begins with.
 */
export function createStores(
  kept: ProgramValues | undefined,
): (call: ToolCall, context: CallContext) => Promise<StoredValues> {
  const bySignal = new WeakMap<AbortSignal, Promise<{ values: Values }>>();
  const load = async (runId: string | undefined): Promise<{ values: Values }> => ({
    values: (runId === undefined ? undefined : await kept?.load(runId)) ?? {},
  });
  return async ({ id }, { turn, signal, idempotencyKey = '' }) => {
    const key = turn?.signal ?? signal;
    const runId = idempotencyKey.endsWith(`:${id}`) ? idempotencyKey.slice(0, -id.length - 1) : undefined;
    const loading = bySignal.get(key) ?? load(runId);
    bySignal.set(key, loading);
    loading.catch(() => bySignal.delete(key));
    const own = await loading;
    return {
      values: () => own.values,
      async save({ stored, removed }) {
        if (Object.keys(stored).length + removed.length === 0) return;
        const left = Object.entries(own.values).filter(([name]) => !removed.includes(name));
        own.values = Object.fromEntries([...left, ...Object.entries(stored)]);
        if (runId !== undefined) await kept?.save(runId, own.values);
      },
    };
  };
}
