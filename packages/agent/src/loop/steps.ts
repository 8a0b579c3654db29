import { type Emit, type JsonValue, KernelError, type Step, type StepExecutor, type StepScope } from '@kernel/protocol';
import { storeError } from '../session/store-error.ts';

/** The default executor: runs all steps of a batch at once, in this process, and records nothing. */
export const inProcessSteps: StepExecutor = {
  all: (batch) => {
    const [first] = batch;
    return batch.length === 1 && first !== undefined
      ? first.run().then((output) => [output])
      : Promise.all(batch.map((step) => step.run()));
  },
};

/** The signal and the event sink of one run. */
export interface StepContext {
  /** Aborts when the run must end. */
  readonly signal: AbortSignal;
  /** Takes the events of the run. */
  readonly emit: Emit;
}

/** The scope of a step, complete. */
export interface RunningStep extends StepContext, Pick<StepScope, 'beforeHandler'> {}

/** Creates a step that runs `body`, with the signal and sink of `context` unless its executor passes others. `input` and the output must be JSON. */
export function createStep<O extends object>(
  context: StepContext,
  { input, ...head }: Omit<Step, 'input' | 'run' | 'unknown'> & { readonly input: object },
  body: (scope: RunningStep) => Promise<O>,
): Step {
  return {
    ...head,
    // The loop's messages, calls and results are JSON by construction; interfaces lack the index signature that says so.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    input: input as JsonValue,
    run: ({ signal = context.signal, emit = context.emit, onEvent, beforeHandler } = {}) => {
      const output: Promise<unknown> = body({ signal, emit: withListener(emit, onEvent), beforeHandler });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      return output as Promise<JsonValue>;
    },
  };
}

/** Returns a sink that shows each event to a listener first. */
export function withListener(emit: Emit, onEvent: StepScope['onEvent']): Emit {
  if (onEvent === undefined) return emit;
  return (event) => {
    onEvent(event);
    return emit(event);
  };
}

/**
 * Runs a batch of steps that share an output type. Trusts the executor: a journal must return what the step returned.
 *
 * Rejects with the error of a step as it is, and with `STORE_FAILED` for an executor that fails itself.
 */
export function runBatch<O extends object>(steps: StepExecutor, batch: readonly Step[]): Promise<readonly O[]> {
  const outputs: Promise<unknown> = steps === inProcessSteps ? steps.all(batch) : runElsewhere(steps, batch);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each output is what the body passed to `createStep` returned
  return outputs as Promise<readonly O[]>;
}

/** Runs a batch in an executor that may have a store of its own, and tells its failures from those of the steps. */
async function runElsewhere(steps: StepExecutor, batch: readonly Step[]): Promise<readonly JsonValue[]> {
  let hasStepFailed = false;
  const watched = batch.map((step) => ({
    ...step,
    run: (scope?: StepScope) =>
      step.run(scope).catch((error: unknown) => {
        hasStepFailed = true;
        throw error;
      }),
  }));
  let outputs: unknown;
  try {
    outputs = await steps.all(watched);
  } catch (error) {
    throw hasStepFailed ? error : storeError('The step executor failed', error);
  }
  const list: readonly unknown[] = Array.isArray(outputs) ? outputs : [];
  const missing = batch.find((_, index) => typeof list[index] !== 'object' || list[index] === null);
  if (missing !== undefined)
    throw new KernelError('CONFIG_INVALID', `The step executor returned nothing for "${missing.id}".`, {
      hint: 'all() resolves to the outputs of the steps, in the order of the batch.',
    });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the steps returned, or what a journal has of it
  return list as readonly JsonValue[];
}

/** Runs a single step. */
export function runStep<O extends object>(steps: StepExecutor, step: Step): Promise<O> {
  const output: Promise<unknown> =
    steps === inProcessSteps ? step.run() : runElsewhere(steps, [step]).then(([first]) => first);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as in `runBatch`
  return output as Promise<O>;
}
