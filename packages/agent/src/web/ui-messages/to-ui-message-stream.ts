import { type AgentEvent } from '@kernel/protocol';
import type { ClientEventsOptions } from '../client-view/client-events.ts';
import { shownFields } from '../client-view/client-field.ts';
import { checkHeartbeat, type SseOptions, sseResponse, toFrame } from '../http/sse.ts';
import { toClientProtocol } from '../to-client-protocol.ts';
import type { UiMessageChunk } from './ui-message-chunk.ts';
import { createUiMessageConverter } from './ui-message-converter.ts';

/** How a run becomes a message of `useChat`. */
export interface UiMessageStreamOptions extends ClientEventsOptions {
  /** The id of the message. Default: the client makes one. */
  readonly messageId?: string | undefined;
}

/** How a run becomes a response for `useChat`. */
export interface UiMessageStreamResponseOptions extends UiMessageStreamOptions, SseOptions {}

/**
 * Creates the UI message stream of a run, for the AI SDK's `useChat` and `readUIMessageStream`.
 *
 * Shows what `clientEvents` shows: without `arguments` the input of each call is `{}`, and without `results` its output is null. Approval of pending
 * calls is requested at the end of the run, so `approve` should answer `later`; see `decisionsFromUiMessages`. A withdrawn reply resets its step.
 */
export function toUiMessageStream(
  events: AsyncIterable<AgentEvent>,
  options: UiMessageStreamOptions = {},
): ReadableStream<UiMessageChunk> {
  const shown = shownFields('toUiMessageStream', options.show);
  const convert = createUiMessageConverter(options.messageId);
  return toReadableStream(toClientProtocol(events, shown, { convert, encode: (chunk) => chunk }));
}

/** Creates a response with the UI message stream of a run. A client that disconnects stops the iteration, which aborts the run. */
export function toUiMessageStreamResponse(
  events: AsyncIterable<AgentEvent>,
  options: UiMessageStreamResponseOptions = {},
): Response {
  const owner = 'toUiMessageStreamResponse';
  checkHeartbeat(owner, options);
  const convert = createUiMessageConverter(options.messageId);
  const shown = shownFields(owner, options.show);
  const frames = toClientProtocol(events, shown, { convert, encode: (chunk) => toFrame(chunk), last: DONE });
  return sseResponse(frames, options, { 'x-vercel-ai-ui-message-stream': 'v1' });
}

const DONE = ['data: [DONE]\n\n'];

/** Creates a stream of values that are read only when somebody asks for them. `cancel` stops the iteration at once. */
function toReadableStream<T>(values: AsyncGenerator<T, void>): ReadableStream<T> {
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const { done, value } = await values.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await values.return();
      },
    },
    { highWaterMark: 0 },
  );
}
