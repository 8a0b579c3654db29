import { type AgentEvent } from '@kernel/protocol';
import type { ClientEventsOptions } from '../client-view/client-events.ts';
import { shownFields } from '../client-view/client-field.ts';
import { checkHeartbeat, type SseOptions, sseResponse, toFrame } from '../http/sse.ts';
import { toClientProtocol } from '../to-client-protocol.ts';
import type { AgUiEvent } from './ag-ui-event.ts';
import { type AgUiIds, createAgUiConverter } from './ag-ui-converter.ts';

/** How a run becomes AG-UI events. */
export interface AgUiOptions extends ClientEventsOptions {
  /** The conversation, as in the `RunAgentInput` of the client. Default: a random id. */
  readonly threadId?: string | undefined;
  /** The run, as in the `RunAgentInput` of the client. Default: a random id. */
  readonly runId?: string | undefined;
}

/** How a run becomes a response for AG-UI clients. */
export interface AgUiResponseOptions extends AgUiOptions, SseOptions {}

/**
 * Returns a run as AG-UI events.
 *
 * Shows what `clientEvents` shows; a result that is not shown is the status of its call. Pending calls are interrupts of `RUN_FINISHED`: see
 * `decisionsFromAgUi`. The protocol has no withdrawn replies: their message ends, and a `CUSTOM` event `reply-withdrawn` names it.
 */
export function toAgUi(events: AsyncIterable<AgentEvent>, options: AgUiOptions = {}): AsyncGenerator<AgUiEvent, void> {
  const convert = createAgUiConverter(idsOf(options));
  return toClientProtocol(events, shownFields('toAgUi', options.show), { convert, encode: (event) => event });
}

/** Creates a response with a run as AG-UI events. A client that disconnects stops the iteration, which aborts the run. */
export function toAgUiResponse(events: AsyncIterable<AgentEvent>, options: AgUiResponseOptions = {}): Response {
  const owner = 'toAgUiResponse';
  checkHeartbeat(owner, options);
  const convert = createAgUiConverter(idsOf(options));
  const shown = shownFields(owner, options.show);
  const frames = toClientProtocol(events, shown, { convert, encode: (event) => toFrame(event) });
  return sseResponse(frames, options);
}

function idsOf({ threadId = crypto.randomUUID(), runId = crypto.randomUUID() }: AgUiOptions): AgUiIds {
  return { threadId, runId };
}
