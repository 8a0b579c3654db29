import type { AgentEvent } from '@kernel/protocol';
import { flatMapAsync } from '../iteration/flat-map-async.ts';

/** Receives the events of a run in addition to its reader. */
export type EventSink = (event: AgentEvent) => void | Promise<void>;

/**
 * Passes every event to each sink and then on to the reader. Sinks are not awaited. What a sink throws or rejects with goes to `onSinkError`
 * and affects neither the run nor the other sinks.
 */
export function tapEvents<Output = unknown>(
  events: AsyncIterable<AgentEvent<Output>>,
  sinks: readonly EventSink[],
  onSinkError: (error: unknown) => void = () => {},
): AsyncGenerator<AgentEvent<Output>, void> {
  return flatMapAsync<AgentEvent<Output>, AgentEvent<Output>>(events, {
    map: (event) => {
      for (const sink of sinks) void deliver(sink, event).catch(onSinkError);
      return [event];
    },
  });
}

/** Turns a synchronous throw into a rejection. */
async function deliver(sink: EventSink, event: AgentEvent): Promise<void> {
  await sink(event);
}
