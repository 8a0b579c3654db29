import type { CallContext, JsonValue, ToolCall } from '@kernel/protocol';
import type { ProgramValues } from './options.ts';

type Values = Readonly<Record<string, JsonValue>>;

/** The values that the programs of one run have stored. */
export interface StoredValues {
  /** By key. */
  values(): Values;
  /** Keeps them for the next program. */
  save(values: Values): Promise<void>;
}

/**
 * Returns what finds the values of the run that a call is made in: by the run's signal, which is the same for all of its calls, and where the run continues in another
 * process, by its id, which the idempotency key of the call begins with.
 */
export function createStores(
  kept: ProgramValues | undefined,
): (call: ToolCall, context: CallContext) => Promise<StoredValues> {
  const bySignal = new WeakMap<AbortSignal, { values: Values }>();
  return async ({ id }, { turn, signal, idempotencyKey = '' }) => {
    const key = turn?.signal ?? signal;
    const runId = idempotencyKey.endsWith(`:${id}`) ? idempotencyKey.slice(0, -id.length - 1) : undefined;
    const known = bySignal.get(key);
    const own = known ?? { values: (runId === undefined ? undefined : await kept?.load(runId)) ?? {} };
    if (known === undefined) bySignal.set(key, own);
    return {
      values: () => own.values,
      async save(values) {
        own.values = values;
        if (runId !== undefined && Object.keys(values).length > 0) await kept?.save(runId, values);
      },
    };
  };
}
