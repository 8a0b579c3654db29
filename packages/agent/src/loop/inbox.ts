import {
  type Message,
  type Steering,
  type Step,
  toModelText,
  type ToolCall,
  type ToolResult,
  type Usage,
  type UserMessage,
} from '@kernel/protocol';
import { freezeMessage } from '../history/messages.ts';
import { lostResult } from '../history/repair-history.ts';
import { createStep, type StepContext } from './steps.ts';

/** Creates the steering of one run: `run({ steering })`. */
export function createSteering(): Steering {
  const queues: Record<'steer' | 'followUp', Message[]> = { steer: [], followUp: [] };
  let isStopping = false;
  const add = (queue: 'steer' | 'followUp', message: string | UserMessage): void =>
    void queues[queue].push(typeof message === 'string' ? { role: 'user', content: message } : message);
  return {
    steer: (message) => add('steer', message),
    followUp: (message) => add('followUp', message),
    stop: () => {
      isStopping = true;
    },
    get pending() {
      return { steer: [...queues.steer], followUp: [...queues.followUp], isStopping };
    },
    take: (queue) => queues[queue].splice(0),
  };
}

/** What reaches a run in progress from outside: steering messages, late results of background calls, and usage of background agents. */
export interface Inbox {
  /** Adds messages to the run. */
  readonly steering: Steering | undefined;
  /** Late results of background calls, by call id, as messages. */
  lateResults: Map<string, Message> | undefined;
  /** The ids of the calls that were run in this process. */
  readonly startedCallIds: Set<string>;
  /** How many of the queued messages came in before the calls were decided on, so that they are no reason to skip the calls. 0 again once messages are taken. */
  messagesBeforeDecision: number;
  /** What agents have used after their calls had ended. */
  usage: Usage | undefined;
  /** What they have used by estimate, beyond that. */
  estimated: Usage | undefined;
}

/** What came in from outside, taken within a step. */
export interface Received {
  /** The messages, in order. */
  readonly received: readonly Message[];
  /** The background calls whose results are among them. */
  readonly settled?: readonly string[];
}

/** Creates the inbox of one run. */
export function createInbox(steering: Steering | undefined): Inbox {
  return {
    steering,
    lateResults: undefined,
    startedCallIds: new Set(),
    messagesBeforeDecision: 0,
    usage: undefined,
    estimated: undefined,
  };
}

/** Adds the late result of a background call, as a message of the user. */
export function addLateResult(inbox: Inbox, call: ToolCall, result: ToolResult): void {
  const state =
    result.outcome === 'unknown' ? 'has an unknown outcome' : result.isError === true ? 'failed' : 'is done';
  const content = `The background call of "${call.name}" (${call.id}) ${state}:\n${toModelText(result)}`;
  inbox.lateResults ??= new Map();
  inbox.lateResults.set(call.id, { role: 'user', content });
}

/** Notes a background call whose first result is in the history. If another process ran it, its late result was lost with that process, and the model is told so. */
export function noteBackgroundCall(inbox: Inbox, call: ToolCall): void {
  if (!inbox.startedCallIds.has(call.id)) addLateResult(inbox, call, lostResult(call));
}

/** Nothing came in. */
export const NOTHING: Received = { received: [] };

/** Removes and returns the messages that belong before the next model call. Only a step may call it. */
export function takeForTurn({ steering, lateResults }: Inbox): Received {
  if (steering === undefined && lateResults === undefined) return NOTHING;
  const received = [...(lateResults?.values() ?? []), ...(steering?.take('steer') ?? [])].map(freezeMessage);
  if (lateResults === undefined || lateResults.size === 0) return { received };
  const settled = [...lateResults.keys()];
  lateResults.clear();
  return { received, settled };
}

/** Notes what a step took, here or in a process before this one. */
export function recordTaken(inbox: Inbox, { settled = [] }: Received): void {
  inbox.messagesBeforeDecision = 0;
  for (const id of settled) inbox.lateResults?.delete(id);
}

/** Why calls that have not started must be skipped, or undefined if they may start. Only a step may ask. */
export function skipReason({ steering, messagesBeforeDecision }: Inbox): string | undefined {
  if (steering === undefined) return undefined;
  const { steer, isStopping } = steering.pending;
  if (isStopping) return 'the user has stopped the run';
  return steer.length > messagesBeforeDecision ? 'a message from the user came first' : undefined;
}

/** Creates the step `inbox:<turn>`, which takes the messages that must be answered before the run may end. */
export function inboxStep(context: StepContext, inbox: Inbox, turn: number): Step {
  return createStep(context, { id: `inbox:${turn}`, kind: 'inbox', input: {} }, async ({ emit }): Promise<Received> => {
    const forTurn = takeForTurn(inbox);
    const followUp = forTurn.received.length > 0 ? [] : (inbox.steering?.take('followUp') ?? []);
    const taken = { ...forTurn, received: [...forTurn.received, ...followUp.map(freezeMessage)] };
    if (taken.received.length > 0) await emit({ type: 'steer', messages: taken.received });
    return taken;
  });
}
