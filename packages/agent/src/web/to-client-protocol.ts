import type { AgentEvent } from '@kernel/protocol';
import { mapEvents } from '../wrappers/map-events.ts';
import type { ClientEvent } from './client-event.ts';
import { thrownToClientError, type Shown } from './client-values.ts';
import { createClientView } from './client-view.ts';

/** Returns the events of a run in another protocol, of what a client may see of them alone. An error that they throw is the last one. */
export function toClientProtocol<T>(
  events: AsyncIterable<AgentEvent>,
  shown: Shown,
  convert: (event: ClientEvent) => readonly T[],
): AsyncGenerator<T, void> {
  const view = createClientView(shown);
  return mapEvents<AgentEvent, T>(events, {
    map: (event) => view(event).flatMap((seen) => convert(seen)),
    fail: (error) => convert({ type: 'error', ...thrownToClientError(error, shown) }),
  });
}

/** Creates a stream of values that are read only when somebody asks for them. `cancel` leaves the iteration at once. */
export function toStream<T>(values: AsyncGenerator<T, void>): ReadableStream<T> {
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
