import {
  addUsage,
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
  return {
    steer: (message) => void queues.steer.push(toMessage(message)),
    followUp: (message) => void queues.followUp.push(toMessage(message)),
    stop: () => {
      isStopping = true;
    },
    get pending() {
      return { steer: [...queues.steer], followUp: [...queues.followUp], isStopping };
    },
    take: (queue) => queues[queue].splice(0),
  };
}

function toMessage(message: string | UserMessage): Message {
  return typeof message === 'string' ? { role: 'user', content: message } : message;
}

/** What reaches a run in progress from outside: steering messages, late outcomes of async tools, and usage of background agents. */
export interface Inbox {
  /** Adds messages to the run. */
  readonly steering: Steering | undefined;
  /** Late outcomes, by call id. */
  outcomes: Map<string, Message> | undefined;
  /** The ids of the calls that were run in this process. */
  readonly started: Set<string>;
  /** How many messages may have come in without calls being skipped: the calls were decided on after them. Holds until messages are taken. */
  allowed: number;
  /** What agents have used after their calls had ended. */
  usage: Usage | undefined;
  /** What they have used by estimate, beyond that. */
  estimated: Usage | undefined;
}

/** What came in from outside, taken within a step. */
export interface Received {
  /** The messages, in order. */
  readonly received: readonly Message[];
  /** The async calls whose outcomes are among them. */
  readonly settled?: readonly string[];
}

/** Creates the inbox of one run. */
export function createInbox(steering: Steering | undefined): Inbox {
  return { steering, outcomes: undefined, started: new Set(), allowed: 0, usage: undefined, estimated: undefined };
}

/** Adds the late outcome of a call, as a message of the user. */
export function addOutcome(inbox: Inbox, call: ToolCall, result: ToolResult): void {
  const state =
    result.outcome === 'unknown' ? 'has an unknown outcome' : result.isError === true ? 'failed' : 'is done';
  const content = `The background call of "${call.name}" (${call.id}) ${state}:\n${toModelText(result)}`;
  inbox.outcomes ??= new Map();
  inbox.outcomes.set(call.id, { role: 'user', content });
}

/** Notes an async call whose result is in the history. If another process ran it, its outcome was lost with that process, and the model is told so. */
export function addAsync(inbox: Inbox, call: ToolCall): void {
  if (!inbox.started.has(call.id)) addOutcome(inbox, call, lostResult(call));
}

/** Adds what an agent has used after its call had ended. */
export function addLateUsage(inbox: Inbox, usage: Usage | undefined, estimated: Usage | undefined): void {
  inbox.usage = sumOf(inbox.usage, usage);
  inbox.estimated = sumOf(inbox.estimated, estimated);
}

/** The sum of two usages that may be absent. */
export function sumOf(usage: Usage | undefined, more: Usage | undefined): Usage | undefined {
  return usage === undefined || more === undefined ? (usage ?? more) : addUsage(usage, more);
}

const NOTHING: Received = { received: [] };

/** Removes and returns the messages that belong before the next model call. Only a step may call it. */
export function takeForTurn({ steering, outcomes }: Inbox): Received {
  if (steering === undefined && outcomes === undefined) return NOTHING;
  const received = [...(outcomes?.values() ?? []), ...(steering?.take('steer') ?? [])].map(freezeMessage);
  if (outcomes === undefined || outcomes.size === 0) return { received };
  const settled = [...outcomes.keys()];
  outcomes.clear();
  return { received, settled };
}

/** Notes what a step took, here or in a process before this one. */
export function recordTaken(inbox: Inbox, { settled = [] }: Received): void {
  inbox.allowed = 0;
  for (const id of settled) inbox.outcomes?.delete(id);
}

/** Whether the run is to end. Only a step may ask. */
export function isToStop({ steering }: Inbox): boolean {
  return steering?.pending.isStopping === true;
}

/** How many messages from the user have come in and are not taken yet. Only a step may ask. */
export function waitingMessages({ steering }: Inbox): number {
  return steering?.pending.steer.length ?? 0;
}

/** Why calls that have not started must be skipped, or undefined if they may start. Only a step may ask. */
export function skipReason({ steering, allowed }: Inbox): string | undefined {
  if (steering === undefined) return undefined;
  const { steer, isStopping: isOver } = steering.pending;
  if (isOver) return 'the user has stopped the run';
  return steer.length > allowed ? 'a message from the user came first' : undefined;
}

/** Creates the step `inbox:<turn>`, which takes the messages that must be answered before the run may end. */
export function inboxStep(context: StepContext, inbox: Inbox, turn: number): Step {
  return createStep(context, { id: `inbox:${turn}`, kind: 'inbox', input: {} }, async ({ emit }): Promise<Received> => {
    const waiting = takeForTurn(inbox);
    const followUp = waiting.received.length > 0 ? [] : (inbox.steering?.take('followUp') ?? []);
    const taken = { ...waiting, received: [...waiting.received, ...followUp.map(freezeMessage)] };
    if (taken.received.length > 0) await emit({ type: 'steer', messages: taken.received });
    return taken;
  });
}
