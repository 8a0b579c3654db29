import {
  type AgentEvent,
  callIdOf,
  type JsonValue,
  pendingCallOf,
  type Step,
  type StepExecutor,
} from '@kernel/protocol';

/** What an engine stores of a run: JSON by name. */
export type Recorded = Readonly<Record<string, JsonValue>>;

/** The result of one activity. */
export interface BatchResult {
  /** What the engine must store before the next activity. */
  readonly recorded: Recorded;
  /** The id of the call that waits for a decision, as from `callIdOf`. */
  readonly waiting?: string;
  /** Why the run ended; absent until then. */
  readonly reason?: string;
  /** Why a step failed, which ends the run. Recorded steps stay for another attempt. */
  readonly error?: string;
}

/**
 * Replays a run up to the first batch that is not recorded, and runs that batch: one activity of an engine whose workflows do no I/O. `isRepeated` tells that a
 * process may have died in this activity, so the outcome of what it began is unknown.
 */
export async function runNextBatch(
  recorded: Recorded,
  isRepeated: boolean,
  agent: (steps: StepExecutor) => AsyncIterable<AgentEvent>,
): Promise<BatchResult> {
  const added: Record<string, JsonValue> = {};
  let waiting: string | undefined;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<{ readonly error?: string }>();

  const execute = async (step: Step): Promise<void> => {
    const isUnknown = isRepeated && isUnsafe(step);
    const output = isUnknown ? (step.unknown?.() ?? null) : await step.run();
    const pending = pendingCallOf(step, output);
    if (pending === undefined) added[step.id] = output;
    else waiting ??= step.kind === 'approve' ? callIdOf(step.id) : pending.callId;
  };
  const all = async (batch: readonly Step[]): Promise<readonly JsonValue[]> => {
    const missing = batch.filter(({ id }) => !(id in recorded));
    if (missing.length === 0) return batch.map(({ id }) => recorded[id] ?? null);
    // The engine must know about a payment before it starts.
    const beginning = missing.filter((step) => isUnsafe(step) && !(`begin ${step.id}` in recorded));
    for (const { id } of beginning) added[`begin ${id}`] = true;
    if (beginning.length === 0) {
      const settled = await Promise.allSettled(missing.map(execute));
      const failed = settled.find((each) => each.status === 'rejected');
      if (failed !== undefined) stop({ error: String(failed.reason) });
    }
    stop({});
    // The loop must not continue.
    return new Promise(() => undefined);
  };

  const rest = await Promise.race([reasonOf(agent({ all })), stopped]);
  return { recorded: { ...recorded, ...added }, ...rest, ...(waiting === undefined ? {} : { waiting }) };
}

function isUnsafe({ effect }: Step): boolean {
  return effect === 'write' || effect === 'external';
}

async function reasonOf(events: AsyncIterable<AgentEvent>): Promise<{ readonly reason: string }> {
  let reason = 'error';
  for await (const event of events) if (event.type === 'run-end') ({ reason } = event);
  return { reason };
}
