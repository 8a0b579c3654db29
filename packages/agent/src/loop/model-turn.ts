import { onAbort } from '@kernel/internal';
import {
  batchesOf,
  dropsCalls,
  type Emit,
  KernelError,
  type MessageEnd,
  type ProviderEvent,
  type Step,
  toolCallsOf,
  type Usage,
} from '@kernel/protocol';
import { freezeMessage } from '../history/messages.ts';
import { createReplyCallIds } from '../history/reply-call-ids.ts';
import { type Inbox, NOTHING, type Received, takeForTurn } from './inbox.ts';
import { beginTurn } from './offered-tools.ts';
import { type CallBatch, createCallBatch } from './prepare-calls.ts';
import { type ModelTurn, planRequest } from './request.ts';
import { isPaused } from './run-end.ts';
import { withRequestContext } from './run-scope.ts';
import type { OutputMode, Run } from './run-state.ts';
import { createStep, type StepContext } from './steps.ts';
import { wholeCharacters } from './whole-characters.ts';

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

/**
 * Creates the step `model:<turn>`: gets the tools on offer, asks the model, emits the events of the reply, and outputs the whole reply.
 *
 * Its input names the model and its options unless `prepareTurn` decides on them, which runs within the step: then its output names who was asked.
 */
export function modelStep(run: Run, turn: ModelTurn): Step {
  const { model, options, prepareTurn } = run.options;
  const asked = prepareTurn === undefined ? { model, ...(options && { options }) } : {};
  const input = { turn: turn.number, messages: turn.messages, ...asked };
  return createStep(run, { id: `model:${turn.number}`, kind: 'model', input }, (scope) => askModel(run, turn, scope));
}

async function askModel(
  run: Run,
  { number, messages, offersTools }: ModelTurn,
  { signal, emit }: StepContext,
): Promise<ModelOutput | StoppedTurn> {
  const { inbox, options, output } = run;
  if (inbox.steering?.pending.isStopping === true) return { isStopped: true };
  const begun = offersTools ? beginTurn(run, number, signal) : [];
  const onOffer = begun instanceof Promise ? await begun : begun;
  const taken = isPaused(run.pauses, number) ? NOTHING : takeForTurn(inbox);
  const { received } = taken;
  const turn = { number, messages: received.length > 0 ? [...messages, ...received] : messages, offersTools };
  const planned = planRequest(run, turn, onOffer, signal);
  const { provider, request, isRestricted, outputMode } = planned instanceof Promise ? await planned : planned;
  const { tools = [] } = request;
  const startDrained = emit({ type: 'turn-start', turn: number, tools });
  if (startDrained !== undefined) await startDrained;
  if (received.length > 0) await emit({ type: 'steer', messages: received });
  const reading = (outputMode === undefined ? emit : output?.withDeltas(emit, outputMode)) ?? emit;
  const callIds = createReplyCallIds(run.callIds);
  const whole = wholeCharacters((event) => reading(callIds.rename(event)));
  const replied = await withRequestContext(options.context, () =>
    readReply(provider.stream(request), signal, whole.emit, provider.name),
  );
  const replyDrained = whole.end();
  if (replyDrained !== undefined) await replyDrained;
  const end = dropCalls(callIds.finish(replied), offersTools);
  const { type: _type, ...reply } = { ...end, message: freezeMessage(end.message) };
  const endDrained = emit({ type: 'message-end', ...reply });
  if (endDrained !== undefined) await endDrained;
  const batching = createCallBatch(run, toolCallsOf(reply.message), tools, signal, isRestricted);
  const batch = batching instanceof Promise ? await batching : batching;
  return {
    ...reply,
    ...takeLateUsage(inbox),
    ...taken,
    batch,
    ...(outputMode === undefined ? {} : { outputMode }),
    ...(options.prepareTurn && { asked: { provider: provider.name, model: request.model } }),
  };
}

/** Removes and returns what background agents have used since the last turn. */
function takeLateUsage(inbox: Inbox): Pick<ModelOutput, 'receivedUsage' | 'receivedEstimate'> {
  const { usage: receivedUsage, estimated: receivedEstimate } = inbox;
  inbox.usage = undefined;
  inbox.estimated = undefined;
  return { ...(receivedUsage && { receivedUsage }), ...(receivedEstimate && { receivedEstimate }) };
}

/**
 * Moves the calls that must not run to `droppedCalls`: all of a closing turn and of a reply that ended by length, a filter or a refusal, and
 * those without a name.
 */
function dropCalls(end: MessageEnd, offersTools: boolean): MessageEnd {
  const { message, droppedCalls: before = [], finishReason: reason } = end;
  const dropsAll = !offersTools || dropsCalls(reason);
  const dropped = toolCallsOf(message).filter((call) => dropsAll || call.name.trim() === '');
  if (dropped.length === 0) return end;
  const content = message.content.filter((part) => part.type !== 'tool-call' || !dropped.includes(part));
  const droppedCalls = dropped.map(({ id, name, arguments: text }) => ({ id, name, arguments: text, reason }));
  return { ...end, message: { ...message, content }, droppedCalls: [...before, ...droppedCalls] };
}

/**
 * Emits all events of a provider's stream except the `message-end`, which it resolves to. Rejects with the stream's error, with
 * `signal.reason` on abort, whatever the provider does then, and with `PROVIDER_PROTOCOL` for a stream without a `message-end`.
 */
function readReply(
  events: AsyncIterable<ProviderEvent>,
  signal: AbortSignal,
  emit: Emit,
  provider: string,
): Promise<MessageEnd> {
  const iterator = events[Symbol.asyncIterator]();
  return new Promise((resolve, reject) => {
    let hasEnded = false;
    let removeAbortListener: (() => void) | undefined;
    const stopReading = (): void => {
      hasEnded = true;
      removeAbortListener?.();
      close(iterator);
    };
    const fail = (error: unknown): void => {
      if (hasEnded) return;
      stopReading();
      reject(error);
    };
    const nextBatch = batchesOf(iterator);
    const noEnd = `The provider "${provider}" ended its stream without a message-end.`;
    // Plain callbacks: with `await`, each batch would cost three promises and three functions.
    const deliver = (batch: readonly ProviderEvent[] | undefined, from = 0): void => {
      try {
        if (batch === undefined) return fail(new KernelError('PROVIDER_PROTOCOL', noEnd));
        for (let at = from; at < batch.length; at += 1) {
          if (hasEnded) return undefined;
          const event = batch[at];
          if (event === undefined) return fail(new TypeError('a result of the stream has no event'));
          if (event.type === 'message-end') {
            stopReading();
            return resolve(event);
          }
          const drained = emit(event);
          if (drained !== undefined) return void drained.then(() => deliver(batch, at + 1), fail);
        }
        pull();
      } catch (error) {
        // This function runs as a promise callback: what it throws would be lost.
        fail(error);
      }
    };
    const deliverNext = (next: IteratorResult<ProviderEvent>): void => {
      try {
        deliver(next.done === true ? undefined : [next.value]);
      } catch (error) {
        fail(error); // not an iterator result
      }
    };
    const pull = (): void => {
      if (hasEnded) return;
      try {
        if (nextBatch === undefined) iterator.next().then(deliverNext, fail);
        else nextBatch().then(deliver, fail);
      } catch (error) {
        fail(error);
      }
    };
    if (signal.aborted) return fail(signal.reason);
    removeAbortListener = onAbort(signal, () => fail(signal.reason));
    pull();
  });
}

/** Closes the request of a stream that is left early. Not awaited: a hung provider must not hold up the run. */
function close(iterator: AsyncIterator<ProviderEvent>): void {
  try {
    void Promise.resolve(iterator.return?.()).catch(() => {});
  } catch {
    // What it throws while it is closed does not matter.
  }
}
