import { type AgentEvent } from '@kernel/protocol';
import { flatMapAsync } from '../../iteration/flat-map-async.ts';
import type { ClientEvent } from './client-event-types.ts';
import { type ClientField, shownFields } from './client-field.ts';
import { createClientView } from './client-view.ts';

/** What a client may see. */
export interface ClientEventsOptions {
  /** What it sees besides text, names, ids and status. Default: nothing. */
  readonly show?: readonly ClientField[] | undefined;
}

/**
 * Returns what a client may see of the events of a run: text, the typed answer, the names, ids and status of calls, what waits for approval, and how
 * the run ended. Never a system prompt, a tool's schema, or the context of the run; everything else only if `show` lists it.
 *
 * Stopping the iteration also stops that of the events, which ends the run immediately.
 */
export function clientEvents(
  events: AsyncIterable<AgentEvent>,
  options: ClientEventsOptions = {},
): AsyncGenerator<ClientEvent, void> {
  const view = createClientView(shownFields('clientEvents', options.show));
  return flatMapAsync<AgentEvent, ClientEvent>(events, { map: view });
}
