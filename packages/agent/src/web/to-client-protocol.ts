import type { AgentEvent } from '@kernel/protocol';
import { flatMapAsync } from '../iteration/flat-map-async.ts';
import type { ClientEvent } from './client-view/client-event-types.ts';
import { thrownToClientError, type Shown } from './client-view/client-values.ts';
import { createClientView } from './client-view/client-view.ts';

export interface ClientProtocol<T, Out> {
  /** Returns what an event becomes. For the events of one run, in order. */
  readonly convert: (event: ClientEvent) => readonly T[];
  /** Returns a value as it is sent. What it throws ends the events as an error of theirs does. */
  readonly encode: (value: T) => Out;
  readonly last?: readonly Out[] | undefined;
}

/** Returns the events of a run in another protocol, of what a client may see of them alone. An error that they throw is the last one. */
export function toClientProtocol<T, Out>(
  events: AsyncIterable<AgentEvent>,
  shown: Shown,
  { convert, encode, last = [] }: ClientProtocol<T, Out>,
): AsyncGenerator<Out, void> {
  const view = createClientView(shown);
  return flatMapAsync<AgentEvent, Out>(events, {
    map: (event) => view(event).flatMap((seen) => convert(seen).map((value) => encode(value))),
    fail: (error) => [
      ...convert({ type: 'error', ...thrownToClientError(error, shown) }).map((value) => encode(value)),
      ...last,
    ],
    last,
  });
}
