import { type MessageEnd, toolCallsOf, type Usage, type Emit, type Step } from '@kernel/protocol';
import { freezeMessage } from '../history/messages.ts';
import { createReplyCallIds } from '../history/reply-call-ids.ts';
import type { CallBatch } from '../calls/call-batch.ts';
import { readReply } from './read-reply.ts';
import { planRequest } from './plan-request.ts';
import type { Received } from '../loop/inbox.ts';
import type { ModelResources, ModelTurn } from './types.ts';
import type { OutputMode } from '../output/typed-output.ts';
import { wholeCharacters } from './whole-characters.ts';
import { withRequestContext } from '../loop/request-context.ts';
import { createStep, type StepContext } from '../loop/steps.ts';

/** The output of a model step that did not ask the model: the run is to end. */
export interface StoppedTurn {
  /** Tells it from a reply. */
  readonly isStopped: true;
}

/** The output of a model step. What was received precedes the reply. */
export interface ModelOutput extends Omit<MessageEnd, 'type'>, Received {
  /** What background agents have used since the last turn. */
  readonly receivedUsage?: Usage;
  /** What they have used by estimate, beyond that. */
  readonly receivedEstimate?: Usage;
  /** The calls of the reply. */
  readonly batch: CallBatch;
  /** How a typed answer was asked for. */
  readonly outputMode?: OutputMode;
  /** Who was asked, where `prepareTurn` decides on it. */
  readonly asked?: { readonly provider: string; readonly model: string };
}

const NOTHING: Received = { received: [] };

/**
 * Creates the step `model:<turn>`: gets the tools on offer, asks the model, emits the events of the reply, and outputs the whole reply.
 *
 * Its input names the model and its options unless `prepareTurn` decides on them, which runs within the step: then its output names who was asked.
 */
export function modelStep(context: StepContext, resources: ModelResources, turn: ModelTurn): Step {
  const { model, options } = resources.settings;
  const asked = resources.prepareTurn === undefined ? { model, ...(options && { options }) } : {};
  const input = { turn: turn.number, messages: turn.messages, ...asked };
  return createStep(context, { id: `model:${turn.number}`, kind: 'model', input }, ({ signal, emit }) =>
    askModel(resources, turn, signal, emit),
  );
}

async function askModel(
  resources: ModelResources,
  turn: ModelTurn,
  signal: AbortSignal,
  emit: Emit,
): Promise<ModelOutput | StoppedTurn> {
  const { inbox } = resources;
  if (inbox.isStopping()) return { isStopped: true };
  const offered = turn.offersTools ? await resources.offeredTools(turn.number, signal) : [];
  const taken = turn.isPaused ? NOTHING : inbox.takeForTurn();
  const received = taken.received.map(freezeMessage);
  const messages = received.length > 0 ? [...turn.messages, ...received] : turn.messages;
  const planned = planRequest(resources, turn, offered, messages, signal);
  const { provider, request, isRestricted, outputMode } = planned instanceof Promise ? await planned : planned;
  const { tools = [] } = request;
  const startLag = emit({ type: 'turn-start', turn: turn.number, tools });
  if (startLag !== undefined) await startLag;
  if (received.length > 0) await emit({ type: 'steer', messages: received });
  const reading = (outputMode === undefined ? emit : resources.output?.withDeltas(emit, outputMode)) ?? emit;
  const callIds = createReplyCallIds(turn.callIds);
  const whole = wholeCharacters((event) => reading(callIds.rename(event)));
  const replied = await withRequestContext(resources.callContext.context, () =>
    readReply(provider.stream(request), signal, whole.emit, provider.name),
  );
  const endedLag = whole.end();
  if (endedLag !== undefined) await endedLag;
  const end = callIds.finish(replied);
  const { message: runnable, droppedCalls } = dropCalls(end, turn.offersTools);
  const message = freezeMessage(runnable);
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
    ...taken,
    received,
    batch: resources.createBatch(toolCallsOf(message), tools, isRestricted),
    ...(outputMode === undefined ? {} : { outputMode }),
    ...(resources.prepareTurn && { asked: { provider: provider.name, model: request.model } }),
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
