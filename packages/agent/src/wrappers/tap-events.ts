import type { AgentEvent } from '@kernel/protocol';

/** Hears the events of a run beside its reader. */
export type EventSink = (event: AgentEvent) => void | Promise<void>;

/**
 * Hands every event to each sink and then on to the reader. A sink that throws or rejects is told to `onSinkError` and harms
 * neither the run nor the others; sinks are not waited for.
 */
export async function* tapEvents(
  events: AsyncIterable<AgentEvent>,
  sinks: readonly EventSink[],
  onSinkError: (error: unknown) => void = () => {},
): AsyncGenerator<AgentEvent, void> {
  for await (const event of events) {
    for (const sink of sinks) void deliver(sink, event).catch(onSinkError);
    yield event;
  }
}

async function deliver(sink: EventSink, event: AgentEvent): Promise<void> {
  await sink(event);
}
