import { createAsyncStorage } from '@kernel/internal';

// Not a field of the request: a provider that sends what it gets, or a log of requests, must not see the context.
const contexts = createAsyncStorage<unknown>();

/** Returns the `context` of the run whose request is being streamed; undefined outside of a run. */
export function requestContext(): unknown {
  return contexts.getStore();
}

/** Streams a request of a run. Costs nothing where neither it nor a run around it has a context. */
export function withRequestContext<T>(context: unknown, stream: () => T): T {
  return context === undefined && contexts.getStore() === undefined ? stream() : contexts.run(context, stream);
}
