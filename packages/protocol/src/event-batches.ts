import type { ProviderEvent } from './event.ts';

/** Reads all events of a reply that have arrived, or else waits for the next ones. Undefined at the end. */
export type NextBatch = () => Promise<readonly ProviderEvent[] | undefined>;

// Symbol.for: two installed copies of this package recognize each other's streams.
const NEXT_BATCH = Symbol.for('@kernel/protocol/nextBatch');

/** Lets a reader take the events of a stream by the batch: one promise for each piece of the body instead of one for each event. */
export function withBatches<Events extends AsyncIterator<ProviderEvent>>(events: Events, nextBatch: NextBatch): Events {
  return Object.assign(events, { [NEXT_BATCH]: nextBatch });
}

/** Returns what reads a stream of events by the batch; undefined for one that is read event by event. */
export function batchesOf(events: AsyncIterator<ProviderEvent>): NextBatch | undefined {
  const nextBatch: unknown = Reflect.get(events, NEXT_BATCH);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `withBatches` sets it
  return typeof nextBatch === 'function' ? (nextBatch as NextBatch) : undefined;
}
