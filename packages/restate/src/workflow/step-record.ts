import { errorMessage } from '@kernel/internal';
import {
  type AgentEvent,
  type DurableAgent,
  shouldLogEvent,
  type JsonValue,
  KernelError,
  limitOutput,
  MAX_STEP_BYTES,
  pendingCallOf,
  type Step,
  type StepScope,
  toLogEvent,
} from '@kernel/protocol';
import type { TimedEvent } from './event-log.ts';
import type { SignalSteering } from './signals.ts';

export interface StepRecord {
  readonly digest: string;
  readonly at: number;
  readonly output?: JsonValue;
  readonly error?: JsonValue;
  /** The call that waits for a decision, after which the step runs again. */
  readonly pending?: { readonly call: JsonValue; readonly callId: string };
  /** Set if the outcome of the call is unknown and waits for `resolveOutcome`. */
  readonly isUnknown?: true;
  readonly isEntered?: true;
  readonly taken?: { readonly steer: number; readonly followUp: number };
  readonly events: readonly TimedEvent[];
}

export interface StepRunOptions {
  readonly digest: string;
  readonly agent: DurableAgent;
  readonly steering: SignalSteering;
  /** Throws if this attempt has halted, to keep handlers from being entered. */
  readonly checkAttempt: () => void;
}

/** Runs a step and returns its record. Never rejects: a failed step has a record too. */
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
    const pending = pendingCallOf(step, output);
    if (pending !== undefined) return { digest, at: Date.now(), pending, events: [] };
    const { kept } = limitOutput(step, output, agent.maxResultBytes ?? MAX_STEP_BYTES);
    const taken = steering.taken();
    const hasTaken = taken.steer + taken.followUp > 0;
    return { digest, at: Date.now(), output: kept, ...(hasTaken ? { taken } : {}), ...entered(), events };
  } catch (error) {
    return { digest, at: Date.now(), error: toJson(error), ...entered(), events: [] };
  }
}

export function unknownRecord(step: Step, digest: string): StepRecord {
  const { events, onEvent } = collectEvents();
  return { digest, at: Date.now(), output: step.unknown?.({ onEvent }) ?? null, events };
}

export function toJson(error: unknown): JsonValue {
  const known = KernelError.is(error) ? error : new KernelError('TOOL_FAILED', errorMessage(error));
  const json: unknown = JSON.parse(JSON.stringify(known));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
  return json as JsonValue;
}

function collectEvents(): { readonly events: TimedEvent[]; readonly onEvent: NonNullable<StepScope['onEvent']> } {
  const events: TimedEvent[] = [];
  const onEvent = (event: AgentEvent): void => {
    if (shouldLogEvent(event)) events.push({ at: Date.now(), event: toLogEvent(event) });
  };
  return { events, onEvent };
}
