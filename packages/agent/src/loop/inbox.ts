import { addUsage, type Message, toModelText, type ToolCall, type ToolResult, type Usage } from '@kernel/protocol';
import type { Steering } from './steering.ts';

/** What reaches a run from outside while it goes on: steering messages, late outcomes of async tools, and usage of background agents. */
export interface Inbox {
  /** Adds the late outcome of a call, as a message of the user. */
  addOutcome(call: ToolCall, result: ToolResult): void;
  /** Adds what a sub-agent has used after its call ended. */
  addUsage(usage: Usage): void;
  /** Removes and returns the usage that has come in. */
  takeUsage(): Usage | undefined;
  /** Adds what a sub-agent has used by estimate after its call ended. */
  addEstimate(estimated: Usage): void;
  /** Removes and returns the estimates that have come in. */
  takeEstimate(): Usage | undefined;
  /** Removes and returns the messages that belong before the next model call. */
  takeForTurn(): readonly Message[];
  /** Removes and returns the messages that must be answered before the run may end. */
  takeAfterAnswer(): readonly Message[];
  /** Why calls that have not started must be skipped, or undefined if they may start. */
  skipReason(): string | undefined;
}

/** Creates the inbox of one run. */
export function createInbox(steering: Steering | undefined): Inbox {
  const outcomes: Message[] = [];
  let usage: Usage | undefined;
  let estimated: Usage | undefined;
  const takeForTurn = (): readonly Message[] => [...outcomes.splice(0), ...(steering?.take('steer') ?? [])];
  return {
    addOutcome: (call, result) => void outcomes.push(toOutcomeMessage(call, result)),
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
      return waiting.length > 0 ? waiting : (steering?.take('followUp') ?? []);
    },
    skipReason() {
      const { steer = [], isStopping = false } = steering?.pending ?? {};
      if (isStopping) return 'the user has stopped the run';
      return steer.length > 0 ? 'a message from the user came first' : undefined;
    },
  };
}

function toOutcomeMessage(call: ToolCall, result: ToolResult): Message {
  const state = result.isError === true ? 'failed' : 'is done';
  return {
    role: 'user',
    content: `The background call of "${call.name}" (${call.id}) ${state}:\n${toModelText(result)}`,
  };
}
