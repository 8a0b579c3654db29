import {
  type JsonObject,
  type Message,
  type MessageEnd,
  type Provider,
  type ResponseFormat,
  type Tool,
  type ToolCall,
  toolCallsOf,
  type ToolChoice,
  type Usage,
} from '@kernel/protocol';
import { withUniqueCallIds } from '../history/call-ids.ts';
import { freezeMessage } from '../history/messages.ts';
import type { CallBatch } from './call-batch.ts';
import type { Inbox } from './inbox.ts';
import { readReply } from './read-reply.ts';
import type { Caller } from './caller.ts';
import { planRequest } from './plan-request.ts';
import type { createToolSelection, PrepareTurn } from './prepare-turn.ts';
import type { OutputMode, TypedOutput } from '../output/typed-output.ts';
import { createStep, type Emit, type Step, type StepContext } from './steps.ts';

/** What every request of a run has besides its messages and tools. */
export interface ModelSettings {
  /** The name of the model. */
  readonly model: string;
  /** The model options. */
  readonly options?: JsonObject | undefined;
  /** Whether the model may or must call tools; what forces a call holds for the first turn. */
  readonly toolChoice?: ToolChoice | undefined;
  /** Asks for replies in JSON of a schema. */
  readonly responseFormat?: ResponseFormat | undefined;
  /** Whether prompt-cache markers are set. */
  readonly cache?: 'auto' | 'off' | undefined;
  /** False asks for a whole reply instead of a stream. */
  readonly stream?: boolean | undefined;
}

/** What the model turns of a run share. */
export interface ModelResources {
  /** Where requests are sent. */
  readonly provider: Provider;
  /** What every request says. */
  readonly settings: ModelSettings;
  /** What reaches the run from outside. */
  readonly inbox: Inbox;
  /** Begins a turn of the toolset and returns the tools on offer in it. */
  offeredTools(turn: number, signal: AbortSignal): Promise<readonly Tool[]>;
  /** Makes the batch of a reply's calls, given the tools that were on offer. With `isRestricted`, calls of others do not run. */
  createBatch(calls: readonly ToolCall[], offered: readonly Tool[], isRestricted?: boolean): CallBatch;
  /** Decides on the request of each turn. */
  readonly prepareTurn: PrepareTurn | undefined;
  /** Picks tools by name. */
  readonly selectTools: ReturnType<typeof createToolSelection>;
  /** Passed to `prepareTurn`. */
  readonly caller: Caller;
  /** The typed answer. Absent where none was asked for. */
  readonly output: TypedOutput | undefined;
}

/** One turn of the model. */
export interface ModelTurn {
  /** Counted from 1. */
  readonly number: number;
  /** The history so far. */
  readonly messages: readonly Message[];
  /** The ids of all calls in `messages`. */
  readonly callIds: ReadonlySet<string>;
  /** What the run has used so far. */
  readonly usage: Usage;
  /** False for a closing turn, which offers no tools. */
  readonly offersTools: boolean;
}

/** The output of a model step. */
export interface ModelOutput extends Omit<MessageEnd, 'type'> {
  /** The messages that came in before the model was asked: they precede the reply. */
  readonly received: readonly Message[];
  /** What background agents have used since the last turn. */
  readonly receivedUsage?: Usage;
  /** What they have used by estimate, beyond that. */
  readonly receivedEstimate?: Usage;
  /** The calls of the reply. */
  readonly batch: CallBatch;
  /** How a typed answer was asked for. */
  readonly outputMode?: OutputMode;
}

/** Creates the step `model:<turn>`: gets the tools on offer, asks the model, emits the events of the reply, and outputs the whole reply. */
export function modelStep(context: StepContext, resources: ModelResources, turn: ModelTurn): Step {
  const { model, options } = resources.settings;
  const input = { turn: turn.number, model, messages: turn.messages, ...(options && { options }) };
  return createStep(context, `model:${turn.number}`, input, (signal, emit) => askModel(resources, turn, signal, emit));
}

async function askModel(
  resources: ModelResources,
  turn: ModelTurn,
  signal: AbortSignal,
  emit: Emit,
): Promise<ModelOutput> {
  const { inbox } = resources;
  const offered = turn.offersTools ? await resources.offeredTools(turn.number, signal) : [];
  const waiting = inbox.takeForTurn().map(freezeMessage);
  const messages = waiting.length > 0 ? [...turn.messages, ...waiting] : turn.messages;
  const planned = planRequest(resources, turn, offered, messages, signal);
  const { provider, request, isRestricted, outputMode } = planned instanceof Promise ? await planned : planned;
  const { tools = [] } = request;
  const startLag = emit({ type: 'turn-start', turn: turn.number, tools });
  if (startLag !== undefined) await startLag;
  const received = waiting;
  if (received.length > 0) await emit({ type: 'steer', messages: received });
  const reading = outputMode === undefined ? emit : resources.output?.withDeltas(emit, outputMode);
  const end = await readReply(provider.stream(request), signal, reading ?? emit, provider.name);
  const { message: runnable, droppedCalls } = dropCalls(end, turn.offersTools);
  const message = freezeMessage(withUniqueCallIds(runnable, turn.callIds));
  const reply: Omit<MessageEnd, 'type'> = {
    message,
    finishReason: end.finishReason,
    ...(end.usage === undefined ? {} : { usage: end.usage }),
    ...(droppedCalls === undefined ? {} : { droppedCalls }),
    ...(end.warnings === undefined ? {} : { warnings: end.warnings }),
  };
  const endLag = emit({ type: 'message-end', ...reply });
  if (endLag !== undefined) await endLag;
  const receivedUsage = inbox.takeUsage();
  const receivedEstimate = inbox.takeEstimate();
  return {
    ...reply,
    ...(receivedUsage === undefined ? {} : { receivedUsage }),
    ...(receivedEstimate === undefined ? {} : { receivedEstimate }),
    received,
    batch: resources.createBatch(toolCallsOf(message), tools, isRestricted),
    ...(outputMode === undefined ? {} : { outputMode }),
  };
}

/**
 * Moves the calls that must not run to `droppedCalls`: all of a closing turn and of a reply that ended by length, a filter or a refusal, and
 * those without a name.
 */
function dropCalls(end: MessageEnd, offersTools: boolean): Pick<MessageEnd, 'message' | 'droppedCalls'> {
  const { message, finishReason } = end;
  const isCut = finishReason === 'length' || finishReason === 'filter' || finishReason === 'refusal';
  const dropped = toolCallsOf(message).filter((call) => isCut || !offersTools || call.name.trim() === '');
  if (dropped.length === 0) return end;
  const droppedCalls = dropped.map((call) => ({
    id: call.id,
    name: call.name,
    arguments: call.arguments,
    reason: finishReason,
  }));
  return {
    message: {
      ...message,
      content: message.content.filter((part) => part.type !== 'tool-call' || !dropped.includes(part)),
    },
    droppedCalls: [...(end.droppedCalls ?? []), ...droppedCalls],
  };
}
