import {
  KernelError,
  type Message,
  type MessageEnd,
  type ProviderEvent,
  toolCallsOf,
  type Usage,
} from '@kernel/protocol';
import { freezeMessage, withUnusedIds } from '../history/messages.ts';
import type { Inbox } from './inbox.ts';
import { offeredTools, screen, type Screening } from './offered-tools.ts';
import type { RunOptions } from '../options.ts';
import { type Emit, type Step, type StepContext, toStep } from './steps.ts';

/** What a model step gives back. */
export interface ModelReply extends Omit<MessageEnd, 'type'> {
  /** What came in before the model was asked: it stands before the reply. */
  readonly received: readonly Message[];
  /** What background agents have used since. */
  readonly receivedUsage?: Usage;
  readonly screening: Screening;
}

/** What one turn asks of the model. */
export interface Turn {
  readonly number: number;
  readonly messages: readonly Message[];
  /** The ids of all calls in `messages`. */
  readonly callIds: ReadonlySet<string>;
  /** False for a closing turn, which offers no tools. */
  readonly offerTools: boolean;
  readonly inbox: Inbox;
}

/** The step `model:<turn>`: settles the tools on offer, asks the model, hands its events out, returns the whole reply. */
export function modelStep(context: StepContext, options: RunOptions, turn: Turn): Step {
  const { model, options: modelOptions } = options;
  const input = { turn: turn.number, model, messages: turn.messages, ...(modelOptions && { options: modelOptions }) };
  return toStep(context, `model:${turn.number}`, input, (signal, emit) => ask(options, turn, signal, emit));
}

async function ask(options: RunOptions, turn: Turn, signal: AbortSignal, emit: Emit): Promise<ModelReply> {
  const tools = turn.offerTools ? await offeredTools(options, turn.number, signal) : [];
  const begun = emit({ type: 'turn-start', turn: turn.number, tools });
  if (begun !== undefined) await begun;
  const received = turn.inbox.takeForTurn().map(freezeMessage);
  if (received.length > 0) await emit({ type: 'steer', messages: received });
  const messages = received.length > 0 ? [...turn.messages, ...received] : turn.messages;
  const request = {
    model: options.model,
    messages,
    ...(tools.length > 0 ? { tools } : {}),
    ...(options.stream === undefined ? {} : { stream: options.stream }),
    ...(options.options === undefined ? {} : { options: options.options }),
    signal,
  };
  const end = await lastEvent(options.provider.stream(request), signal, emit, options.provider.name);
  const { message, droppedCalls } = runnable(end, turn.offerTools);
  const sound = freezeMessage(withUnusedIds(message, turn.callIds, () => `call_${crypto.randomUUID()}`));
  const reply: Omit<MessageEnd, 'type'> = {
    message: sound,
    finishReason: end.finishReason,
    ...(end.usage === undefined ? {} : { usage: end.usage }),
    ...(droppedCalls === undefined ? {} : { droppedCalls }),
    ...(end.warnings === undefined ? {} : { warnings: end.warnings }),
  };
  const told = emit({ type: 'message-end', ...reply });
  if (told !== undefined) await told;
  const receivedUsage = turn.inbox.takeUsage();
  const background = receivedUsage === undefined ? {} : { receivedUsage };
  return { ...reply, ...background, received, screening: screen(options, toolCallsOf(sound), tools) };
}

/** Hands out all events but the `message-end`, which it returns. Never waits for a provider that ignores the abort. */
function lastEvent(
  events: AsyncIterable<ProviderEvent>,
  signal: AbortSignal,
  emit: Emit,
  provider: string,
): Promise<MessageEnd> {
  const iterator = events[Symbol.asyncIterator]();
  return new Promise((resolve, reject) => {
    let isOver = false;
    const leave = (): void => {
      isOver = true;
      signal.removeEventListener('abort', onAbort);
      // Closes the request of a stream that we leave early. Not awaited: a hung provider must not hold the run.
      void close(iterator).catch(() => {});
    };
    const fail = (error: unknown): void => {
      if (isOver) return;
      leave();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason);
    // One function for all events: awaits would make three promises and three functions for each.
    const take = (next: IteratorResult<ProviderEvent>): void => {
      if (isOver) return;
      try {
        if (next.done === true) return fail(noEnd(provider));
        const event = next.value;
        if (event.type === 'message-end') {
          leave();
          return resolve(event);
        }
        const lag = emit(event);
        if (lag === undefined) pull();
        else lag.then(pull, fail);
      } catch (error) {
        // Nobody waits for what this function throws.
        fail(error);
      }
    };
    const pull = (): void => {
      if (isOver) return;
      try {
        iterator.next().then(take, fail);
      } catch (error) {
        fail(error);
      }
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    pull();
  });
}

async function close(iterator: AsyncIterator<ProviderEvent>): Promise<void> {
  await iterator.return?.();
}

function noEnd(provider: string): KernelError {
  return new KernelError('PROVIDER_PROTOCOL', `The provider "${provider}" ended its stream without a message-end.`);
}

/** Takes out calls that must not run: all of a closing turn or a reply that ended by length, a filter or a refusal, and those without a name. */
function runnable(end: MessageEnd, offersTools: boolean): Pick<MessageEnd, 'message' | 'droppedCalls'> {
  const { message, finishReason } = end;
  const isCut = finishReason === 'length' || finishReason === 'filter' || finishReason === 'refusal';
  const dropped = toolCallsOf(message).filter((call) => isCut || !offersTools || call.name.trim() === '');
  if (dropped.length === 0) return end;
  const droppedCalls = dropped.map(({ id, name, arguments: text }) => ({
    id,
    name,
    arguments: text,
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
