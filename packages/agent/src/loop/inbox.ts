import {
  addUsage,
  type Message,
  type Steering,
  toModelText,
  type ToolCall,
  type ToolResult,
  type Usage,
} from '@kernel/protocol';
import { lostResult } from '../history/repair-history.ts';

/** What came in from outside, taken within a step. */
export interface Received {
  /** The messages, in order. */
  readonly received: readonly Message[];
  /** The async calls whose outcomes are among them. */
  readonly settled?: readonly string[];
}

/** What reaches a run in progress from outside: steering messages, late outcomes of async tools, and usage of background agents. */
export interface Inbox {
  /** Adds the late outcome of a call, as a message of the user. */
  addOutcome(call: ToolCall, result: ToolResult): void;
  /** Notes that a call runs in this process. */
  markRun(call: ToolCall): void;
  /** Notes an async call whose result is in the history. If another process ran it, its outcome was lost with that process, and the model is told so. */
  addAsync(call: ToolCall): void;
  /** Notes what a step took, here or in a process before this one. */
  recordTaken(taken: Received): void;
  /** Adds what a sub-agent has used after its call ended. */
  addUsage(usage: Usage): void;
  /** Removes and returns the usage that has come in. */
  takeUsage(): Usage | undefined;
  /** Adds what a sub-agent has used by estimate after its call ended. */
  addEstimate(estimated: Usage): void;
  /** Removes and returns the estimates that have come in. */
  takeEstimate(): Usage | undefined;
  /** Removes and returns the messages that belong before the next model call. Only a step may call it. */
  takeForTurn(): Received;
  /** Removes and returns the messages that must be answered before the run may end. Only a step may call it. */
  takeAfterAnswer(): Received;
  /** Whether the run is to end. Only a step may ask. */
  isStopping(): boolean;
  /** How many messages from the user have come in and are not taken yet. Only a step may ask. */
  waiting(): number;
  /** Lets calls start although so many messages have come in: the calls were decided on after them. Holds until messages are taken. */
  allowWaiting(count: number): void;
  /** Why calls that have not started must be skipped, or undefined if they may start. Only a step may ask. */
  skipReason(): string | undefined;
}

/** Creates the inbox of one run. */
export function createInbox(steering: Steering | undefined): Inbox {
  const outcomes = new Map<string, Message>();
  const run = new Set<string>();
  let allowed = 0;
  let usage: Usage | undefined;
  let estimated: Usage | undefined;
  const takeForTurn = (): Received => {
    const received = [...outcomes.values(), ...(steering?.take('steer') ?? [])];
    const settled = [...outcomes.keys()];
    outcomes.clear();
    return { received, ...(settled.length > 0 && { settled }) };
  };
  return {
    addOutcome: (call, result) => void outcomes.set(call.id, toOutcomeMessage(call, result)),
    markRun: ({ id }) => void run.add(id),
    addAsync(call) {
      if (!run.has(call.id)) outcomes.set(call.id, toOutcomeMessage(call, lostResult(call)));
    },
    recordTaken({ settled = [] }) {
      allowed = 0;
      for (const id of settled) outcomes.delete(id);
    },
    addUsage: (more) => {
      usage = usage === undefined ? more : addUsage(usage, more);
    },
    takeUsage: () => {
      const taken = usage;
      usage = undefined;
      return taken;
    },
    addEstimate: (more) => {
      estimated = estimated === undefined ? more : addUsage(estimated, more);
    },
    takeEstimate: () => {
      const taken = estimated;
      estimated = undefined;
      return taken;
    },
    takeForTurn,
    takeAfterAnswer: () => {
      const waiting = takeForTurn();
      return waiting.received.length > 0 ? waiting : { received: steering?.take('followUp') ?? [] };
    },
    waiting: () => steering?.pending.steer.length ?? 0,
    allowWaiting: (count) => {
      allowed = count;
    },
    isStopping: () => steering?.pending.isStopping === true,
    skipReason() {
      const { steer = [], isStopping = false } = steering?.pending ?? {};
      if (isStopping) return 'the user has stopped the run';
      return steer.length > allowed ? 'a message from the user came first' : undefined;
    },
  };
}

function toOutcomeMessage(call: ToolCall, result: ToolResult): Message {
  const state =
    result.outcome === 'unknown' ? 'has an unknown outcome' : result.isError === true ? 'failed' : 'is done';
  return {
    role: 'user',
    content: `The background call of "${call.name}" (${call.id}) ${state}:\n${toModelText(result)}`,
  };
}
