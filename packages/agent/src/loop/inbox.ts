import { addUsage, type Message, toModelText, type ToolCall, type ToolResult, type Usage } from '@kernel/protocol';
import type { Steering } from './steering.ts';

/** What comes into a run from outside while it goes on: steering, and late outcomes of async tools. */
export interface Inbox {
  /** Adds the late outcome of a call. */
  addOutcome(call: ToolCall, result: ToolResult): void;
  /** Adds what a run below has used after its call was over. */
  addUsage(usage: Usage): void;
  /** Takes the usage that came in. */
  takeUsage(): Usage | undefined;
  /** Takes what stands before the next model call. */
  takeForTurn(): readonly Message[];
  /** Takes what an answer may not end the run before. */
  takeAfterAnswer(): readonly Message[];
  /** Why a call that has not started must not start, if so. */
  skipReason(): string | undefined;
}

/** Makes the inbox of one run. */
export function createInbox(steering: Steering | undefined): Inbox {
  const outcomes: Message[] = [];
  let usage: Usage | undefined;
  const takeForTurn = (): readonly Message[] => [...outcomes.splice(0), ...(steering?.take('steer') ?? [])];
  return {
    addUsage: (more) => {
      usage = usage === undefined ? more : addUsage(usage, more);
    },
    takeUsage: () => {
      const taken = usage;
      usage = undefined;
      return taken;
    },
    addOutcome: (call, result) => void outcomes.push(toOutcomeMessage(call, result)),
    takeForTurn,
    takeAfterAnswer: () => {
      const waiting = takeForTurn();
      return waiting.length > 0 ? waiting : (steering?.take('followUp') ?? []);
    },
    skipReason() {
      const { steer = [], isStopping = false } = steering?.pending ?? {};
      if (isStopping) return 'the user has stopped the run';
      return steer.length > 0 ? 'a message of the user came first' : undefined;
    },
  };
}

function toOutcomeMessage(call: ToolCall, result: ToolResult): Message {
  const kind = result.isError === true ? 'failed' : 'is done';
  return {
    role: 'user',
    content: `The background call of "${call.name}" (${call.id}) ${kind}:\n${toModelText(result)}`,
  };
}
