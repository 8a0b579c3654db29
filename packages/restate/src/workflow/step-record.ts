import {
  type AgentEvent,
  type DurableAgent,
  isLogged,
  type JsonValue,
  KernelError,
  limitOutput,
  MAX_STEP_BYTES,
  pendingIn,
  type Step,
  type StepScope,
  toLogged,
} from '@kernel/protocol';
import type { TimedEvent } from './event-log.ts';
import type { SignalSteering } from './signals.ts';

/** What the journal keeps of a step that ran. */
export interface StepRecord {
  /** Identifies what the step worked on. */
  readonly digest: string;
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
  /** The output. */
  readonly output?: JsonValue;
  /** Why it failed. */
  readonly error?: JsonValue;
  /** The call that waits for a decision: the step is to run again. */
  readonly pending?: { readonly call: JsonValue; readonly callId: string };
  /** Whether nobody knows how the call ended, and somebody is to be asked. */
  readonly isUnknown?: true;
  /** Whether the handler of the call was entered. */
  readonly isEntered?: true;
  /** The messages that it took. */
  readonly taken?: { readonly steer: number; readonly followUp: number };
  /** The events that are logged. */
  readonly events: readonly TimedEvent[];
}

/** What a step runs with. */
export interface StepRunOptions {
  /** Identifies what the step works on. */
  readonly digest: string;
  /** What the agent says about limits. */
  readonly agent: DurableAgent;
  /** What the step may take messages from. */
  readonly steering: SignalSteering;
  /** Throws if this attempt is over, so that no handler is entered. */
  readonly checkAttempt: () => void;
}

/** Runs a step and returns what is to be recorded of it. Never rejects: a step that fails has a record too. */
export async function runStep(step: Step, options: StepRunOptions): Promise<StepRecord> {
  const { digest, agent, steering, checkAttempt } = options;
  const { events, onEvent } = collectEvents();
  let isEntered = false;
  const beforeHandler = (): void => {
    checkAttempt();
    isEntered = true;
  };
  const entered = (): object => (isEntered ? { isEntered } : {});
  try {
    const output = await step.run({ onEvent, beforeHandler });
    const pending = pendingIn(step, output);
    if (pending !== undefined) return { digest, at: Date.now(), pending, events: [] };
    const { kept } = limitOutput(step, output, agent.maxResultBytes ?? MAX_STEP_BYTES);
    const taken = steering.taken();
    const hasTaken = taken.steer + taken.followUp > 0;
    return { digest, at: Date.now(), output: kept, ...(hasTaken ? { taken } : {}), ...entered(), events };
  } catch (error) {
    return { digest, at: Date.now(), error: toJson(error), ...entered(), events: [] };
  }
}

/** Returns the record of a call of which nobody knows how it ended. */
export function unknownRecord(step: Step, digest: string): StepRecord {
  const { events, onEvent } = collectEvents();
  return { digest, at: Date.now(), output: step.unknown?.({ onEvent }) ?? null, events };
}

/** An error as JSON, for `KernelError.fromJSON`. */
export function toJson(error: unknown): JsonValue {
  const known = KernelError.is(error)
    ? error
    : new KernelError('TOOL_FAILED', error instanceof Error ? error.message : String(error));
  const json: unknown = JSON.parse(JSON.stringify(known));
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
  return json as JsonValue;
}

function collectEvents(): { readonly events: TimedEvent[]; readonly onEvent: NonNullable<StepScope['onEvent']> } {
  const events: TimedEvent[] = [];
  const onEvent = (event: AgentEvent): void => {
    if (isLogged(event)) events.push({ at: Date.now(), event: toLogged(event) });
  };
  return { events, onEvent };
}
