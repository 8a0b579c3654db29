import { type AgentEvent, type JsonValue, KernelError } from '@kernel/protocol';

/** Takes an event out of a run. A promise, if it gives one, is back-pressure: await it before the next event. */
export type Emit = (event: AgentEvent) => void | Promise<void>;

/**
 * One named operation of a run: JSON in, JSON out.
 *
 * Ids are unique in a run: `model:<turn>`, `approve:<callId>`, `tool:<callId>`. A step that fails throws; what it returned
 * may be kept in a journal and given back instead of running it again.
 */
export interface Step {
  readonly id: string;
  readonly input: JsonValue;
  /** Runs the operation. Without arguments on the run's own signal, its events going to the run's reader. */
  run(signal?: AbortSignal, emit?: Emit): Promise<JsonValue>;
}

/**
 * The one door through which the loop reaches the world.
 *
 * All steps of a batch are created in one tick and are independent of each other; between two batches the loop does nothing
 * asynchronous. Clock readings and new ids come only out of a step.
 */
export interface Steps {
  /** Runs a batch; the outputs are in the order of the batch. */
  all(batch: readonly Step[]): Promise<readonly JsonValue[]>;
}

/** The default: runs every step of a batch at once, here and now, and keeps nothing. */
export const inProcessSteps: Steps = {
  all: async (batch) => {
    const [first] = batch;
    return batch.length === 1 && first !== undefined
      ? [await first.run()]
      : Promise.all(batch.map((step) => step.run()));
  },
};

/** The signal and the event sink of one run. */
export interface StepContext {
  readonly signal: AbortSignal;
  readonly emit: Emit;
}

/** Makes a step whose body runs in `context` unless its runner gives another. `input` and the output must be JSON. */
export function toStep<O extends object>(
  context: StepContext,
  id: string,
  input: object,
  body: (signal: AbortSignal, emit: Emit) => Promise<O>,
): Step {
  return {
    id,
    // The loop's messages, calls and results are JSON by construction; interfaces lack the index signature that says so.
    // eslint-disable-next-line typescript/no-unsafe-type-assertion
    input: input as JsonValue,
    run: (signal = context.signal, emit = context.emit) => {
      const output: Promise<unknown> = body(signal, emit);
      // eslint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      return output as Promise<JsonValue>;
    },
  };
}

/** Runs a batch of steps that share an output type. Trusts the door: a journal must give back what a step returned. */
export async function runBatch<O extends object>(steps: Steps, batch: readonly Step[]): Promise<readonly O[]> {
  const outputs: unknown = await steps.all(batch);
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- each output is what `toStep`'s body returned
  return outputs as readonly O[];
}

/** Runs a batch of one. */
export async function runStep<O extends object>(steps: Steps, step: Step): Promise<O> {
  const [output] = await runBatch<O>(steps, [step]);
  if (output === undefined) throw new KernelError('CONFIG_INVALID', `The steps door gave nothing for "${step.id}".`);
  return output;
}
