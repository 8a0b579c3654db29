import { type AgentEvent, checkKeys, optionKeys } from '@kernel/protocol';
import { flatMapAsync } from '../../iteration/flat-map-async.ts';
import type { ClientEventsOptions } from '../client-view/client-events.ts';
import { shownFields } from '../client-view/client-field.ts';
import { checkHeartbeat, type SseOptions, sseResponse, toFrame } from '../http/sse.ts';
import { toClientProtocol } from '../to-client-protocol.ts';
import type { AgUiEvent } from './ag-ui-event.ts';
import { createAgUiConverter } from './ag-ui-converter.ts';

/** How a run becomes AG-UI events. */
export interface AgUiOptions extends ClientEventsOptions {
  /** The conversation, as in the `RunAgentInput` of the client. Default: a random id. */
  readonly threadId?: string | undefined;
  /** The run, as in the `RunAgentInput` of the client. Default: a random id. */
  readonly runId?: string | undefined;
}

/** How a run becomes a response for AG-UI clients. */
export interface AgUiResponseOptions extends AgUiOptions, SseOptions {}

const KEYS = optionKeys<AgUiOptions>({ show: true, threadId: true, runId: true });
const RESPONSE_KEYS = optionKeys<AgUiResponseOptions>({
  show: true,
  threadId: true,
  runId: true,
  heartbeatMs: true,
  signal: true,
  headers: true,
});

/**
 * Returns a run as AG-UI events.
 *
 * Shows what `clientEvents` shows; a result that is not shown is the status of its call. Pending calls are interrupts of `RUN_FINISHED`: see
 * `decisionsFromAgUi`. The protocol knows no withdrawn replies: their message ends, and a `CUSTOM` event `reply-withdrawn` names it.
 */
export function toAgUi(events: AsyncIterable<AgentEvent>, options: AgUiOptions = {}): AsyncGenerator<AgUiEvent, void> {
  checkKeys('toAgUi', options, KEYS);
  return agUiEvents('toAgUi', events, options);
}

/** Creates a response with a run as AG-UI events. A client that disconnects stops the iteration, which aborts the run. */
export function toAgUiResponse(events: AsyncIterable<AgentEvent>, options: AgUiResponseOptions = {}): Response {
  const owner = 'toAgUiResponse';
  checkKeys(owner, options, RESPONSE_KEYS);
  checkHeartbeat(owner, options);
  const converted = agUiEvents(owner, events, options);
  return sseResponse(flatMapAsync<AgUiEvent, string>(converted, { map: (event) => [toFrame(event)] }), options);
}

function agUiEvents(
  owner: string,
  events: AsyncIterable<AgentEvent>,
  { show, threadId = crypto.randomUUID(), runId = crypto.randomUUID() }: AgUiOptions,
): AsyncGenerator<AgUiEvent, void> {
  return toClientProtocol(events, shownFields(owner, show), createAgUiConverter({ threadId, runId }));
}
