import type { AgentEvent } from '../event.ts';
import type { JsonValue } from '../json.ts';
import type { ToolEffect } from '../tool.ts';

/**
 * The version of the ids, inputs and outputs of steps. A journal that was written under another version cannot be replayed: an executor that keeps
 * journals stores this number with them, and refuses others.
 */
export const STEP_FORMAT = 1;

/** Takes an event of a run. A returned promise is back-pressure: await it before the next event. */
export type Emit = (event: AgentEvent) => void | Promise<void>;

/** What an executor runs a step with. Whatever is left out is that of the run. */
export interface StepScope {
  /** Aborts the step. */
  readonly signal?: AbortSignal | undefined;
  /** Takes the events of the step. */
  readonly emit?: Emit | undefined;
  /** Sees each event of the step as it is emitted, wherever `emit` takes it. Must not throw. */
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
  /**
   * Awaited by a step of the kind `tool` right before the handler of its call is entered, after all queues; not called for a call that does not run.
   * If it rejects, the handler is not entered. From here on a call with an effect must not run again. It may be called again for a retry.
   */
  readonly beforeHandler?: (() => void | Promise<void>) | undefined;
}

/**
 * One named operation of a run: JSON in, JSON out.
 *
 * A step that fails throws. The output of a step may be recorded and returned later in place of running the step again.
 */
export interface Step {
  /**
   * Unique in a run: `model:<turn>`, `approve:<callId>`, `tool:<callId>`, `output:<turn>`, `answer:<turn>`, `inbox:<turn>`, `resume`. Steps of an agent
   * within a call have the prefix `tool:<callId>/`; those of a member of a team, `<n>-<name>/`.
   */
  readonly id: string;
  /**
   * What it does: asks the model, asks for a decision on a call, runs a call, reads a typed answer, records an answer
   * that a call gave, takes the messages that arrived after the answer, or prepares the calls that an earlier run left.
   */
  readonly kind: 'model' | 'approve' | 'tool' | 'output' | 'answer' | 'inbox' | 'resume';
  /** What the operation works on. */
  readonly input: JsonValue;
  /** What the call of a `tool` step may change, as it was when the model asked for the call. Absent for a call that does not run. */
  readonly effect?: ToolEffect | undefined;
  /** The key of the call of a `tool` step: the same for every attempt at it. */
  readonly idempotencyKey?: string | undefined;
  /**
   * Whether the work of the step is done by steps of its own, which go through the same executor with the id of this one as their prefix. It has no
   * effect besides: after a crash it is run again, and repeats none of them. Only for executors that take inner steps.
   */
  readonly hasInnerSteps?: boolean | undefined;
  /** Runs the operation. */
  run(scope?: StepScope): Promise<JsonValue>;
  /**
   * Returns the output of a `tool` step whose handler was entered but whose outcome is unknown: a result with `OUTCOME_UNKNOWN`. Emits the events of
   * such a call.
   */
  unknown?(scope?: Pick<StepScope, 'emit' | 'onEvent'>): JsonValue;
}

/**
 * Executes the steps of a run: everything that the loop does outside of itself goes through it.
 *
 * All steps of a batch are created in one tick and are independent of each other. Between two batches the loop does nothing asynchronous.
 * Times and random keys come only from the output of a step.
 */
export interface StepExecutor {
  /** Runs a batch and resolves to the outputs, in the order of the batch. What it rejects with ends the run. */
  all(batch: readonly Step[]): Promise<readonly JsonValue[]>;
  /** Whether `all` may be called while a batch of it is in progress, for the inner steps of that batch. Default false: they run in this process. */
  readonly takesInnerSteps?: boolean | undefined;
}

/** Returns an executor that puts a prefix before the ids of all steps. */
export function withPrefix(steps: StepExecutor, prefix: string): StepExecutor {
  return {
    all: (batch) => steps.all(batch.map((step) => ({ ...step, id: `${prefix}${step.id}` }))),
    takesInnerSteps: steps.takesInnerSteps,
  };
}
