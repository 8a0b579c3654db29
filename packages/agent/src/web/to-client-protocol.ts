import type { AgentEvent } from '@kernel/protocol';
import { flatMapAsync } from '../iteration/flat-map-async.ts';
import type { ClientEvent } from './client-view/client-event-types.ts';
import { thrownToClientError, type Shown } from './client-view/client-values.ts';
import { createClientView } from './client-view/client-view.ts';

/** Returns the events of a run in another protocol, of what a client may see of them alone. An error that they throw is the last one. */
export function toClientProtocol<T>(
  events: AsyncIterable<AgentEvent>,
  shown: Shown,
  convert: (event: ClientEvent) => readonly T[],
): AsyncGenerator<T, void> {
  const view = createClientView(shown);
  return flatMapAsync<AgentEvent, T>(events, {
    map: (event) => view(event).flatMap((seen) => convert(seen)),
    fail: (error) => convert({ type: 'error', ...thrownToClientError(error, shown) }),
  });
}
