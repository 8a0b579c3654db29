const READ_ALL = Symbol('readAll');

/** Passes each event on as it is emitted; resolves at the end, and rejects with what the events throw. */
type ReadAll<T> = (listener: (event: T) => void) => Promise<void>;

/** Gives events a way to be read without a promise for each. */
export function withReadAll<T, Events extends AsyncIterable<T>>(events: Events, read: ReadAll<T>): Events {
  return Object.assign(events, { [READ_ALL]: read });
}

/** Reads events to their end. What the listener throws ends the iteration, and is thrown. */
export async function readAll<T>(events: AsyncIterable<T>, listener: (event: T) => void): Promise<void> {
  const read: unknown = Reflect.get(events, READ_ALL);
  if (typeof read !== 'function') for await (const event of events) listener(event);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `withReadAll` sets it
  else await (read as ReadAll<T>)(listener);
}
