import { isRepeatable, type JsonValue, type Step, type StepExecutor } from '@kernel/protocol';

/** What is known of a step: that the handler of its call was about to be entered, or its output as JSON text. */
export type JournalEntry =
  /** The handler of its call was about to be entered; what it did is unknown. */
  | { readonly state: 'begun' }
  /** It ended with this output. */
  | { readonly state: 'done'; readonly output: string };

/** A journal in memory. Pass the same one to the next attempt at a run. */
export type JournalEntries = Map<string, JournalEntry>;

/** How steps are recorded. */
export interface MemoryJournalOptions {
  /** What earlier attempts recorded; what this one records is added to it. Default: empty. */
  readonly entries?: JournalEntries | undefined;
  /** Ends the attempt at this point, counted from 1, as if its process had been killed: nothing is recorded and nothing begins from there on. */
  readonly dieAt?: number | undefined;
}

/** An executor that records the steps of a run in memory. */
export interface MemoryJournal extends StepExecutor {
  /** What is recorded. */
  readonly entries: JournalEntries;
  /** The ids of the steps of each batch, in order. */
  readonly batches: readonly (readonly string[])[];
  /** How many points there were at which the attempt could have died. */
  readonly points: number;
  /** Whether it has died. */
  readonly isDead: boolean;
}

/**
 * Creates an executor that keeps a journal in memory, to test what a run does after a crash.
 *
 * Each attempt at a run has its own, over the same entries. A step with an output is not run again; a call that may have had an effect is
 * recorded before its handler is entered, and without an output its result is unknown in the next attempt. Decisions and calls that wait are
 * not recorded.
 */
export function createMemoryJournal(options: MemoryJournalOptions = {}): MemoryJournal {
  const { entries = new Map<string, JournalEntry>(), dieAt = Infinity } = options;
  const batches: string[][] = [];
  /** The steps with inner steps that wait. */
  const waiting = new Set<string>();
  let points = 0;
  let isDead = false;

  const mayDie = (): void => {
    points += 1;
    if (points >= dieAt) isDead = true;
    if (isDead) throw new Error('The process was killed.');
  };
  const record = (id: string, output: JsonValue): JsonValue => {
    entries.set(id, { state: 'done', output: JSON.stringify(output) });
    return output;
  };

  const execute = async (step: Step): Promise<JsonValue> => {
    mayDie();
    const known = entries.get(step.id);
    if (known?.state === 'done') {
      const output: unknown = JSON.parse(known.output);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as it was recorded
      return output as JsonValue;
    }
    const lost = known?.state === 'begun' ? step.unknown?.() : undefined;
    if (lost !== undefined) return record(step.id, lost);
    const isUnsafe = step.effect !== undefined && !isRepeatable(step.effect);
    const beforeHandler = (): void => {
      mayDie();
      if (isUnsafe) entries.set(step.id, { state: 'begun' });
      mayDie();
    };
    const output = await step.run({ beforeHandler });
    mayDie();
    if (isWaiting(output) || [...waiting].some((id) => id.startsWith(`${step.id}/`))) {
      waiting.add(step.id);
      return output;
    }
    record(step.id, output);
    mayDie();
    return output;
  };

  return {
    entries,
    batches,
    takesInnerSteps: true,
    get points() {
      return points;
    },
    get isDead() {
      return isDead;
    },
    async all(batch) {
      batches.push(batch.map((step) => step.id));
      const settled = await Promise.allSettled(batch.map(execute));
      return settled.map((each) => {
        if (each.status === 'rejected') throw each.reason;
        return each.value;
      });
    },
  };
}

/** Whether the output of a step says that something waits for a decision. */
function isWaiting(output: JsonValue): boolean {
  if (typeof output !== 'object' || output === null) return false;
  return Reflect.get(output, 'decision') === 'later' || Reflect.has(output, 'suspended');
}
