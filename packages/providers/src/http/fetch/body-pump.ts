import type { ExchangeEvents } from '../transport.ts';

/** Called once, at the end of the body or after `stop`. */
type BodyEnd = (failure?: { readonly error: unknown }) => void;

/** The body of a `fetch` without streams, such as that of React Native, is delivered in one chunk. Plain callbacks: with `await`, each chunk would cost six promises more. */
export function createBodyPump(events: Pick<ExchangeEvents, 'onFirstByte' | 'onData'>) {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let stopped = false;
  let paused = false;
  let held: (() => void) | undefined;
  let hasData = false;

  /** Goes on at once, or with `resume`. */
  function unlessPaused(work: () => void): void {
    if (paused) held = work;
    else work();
  }

  function resume(): void {
    paused = false;
    const work = held;
    held = undefined;
    work?.();
  }

  function deliver(chunk: unknown): void {
    if (stopped) return;
    if (!(chunk instanceof Uint8Array)) throw new TypeError('The body is not a stream of bytes.');
    if (!hasData) {
      hasData = true;
      events.onFirstByte();
    }
    events.onData(chunk);
  }

  return {
    read(response: Response, onEnd: BodyEnd): void {
      const fail = (error: unknown): void => onEnd({ error });
      const take = (chunk: unknown, next: () => void): void =>
        unlessPaused(() => {
          try {
            deliver(chunk);
          } catch (error) {
            return fail(error);
          }
          return unlessPaused(() => (stopped ? onEnd() : next()));
        });
      const readNext = (): void => {
        reader?.read().then(({ done, value }) => (done ? unlessPaused(() => onEnd()) : take(value, readNext)), fail);
      };
      if (response.body === null || response.body === undefined) {
        response
          .arrayBuffer()
          .then((whole) => (whole.byteLength === 0 ? onEnd() : take(new Uint8Array(whole), onEnd)), fail);
        return;
      }
      reader = response.body.getReader();
      readNext();
    },
    /** Holds back the chunk that is being read as well. */
    pause() {
      paused = true;
    },
    resume,
    /** No event follows. */
    stop() {
      stopped = true;
      resume();
      // A body that has failed rejects, which changes nothing any more.
      reader?.cancel().catch(() => undefined);
    },
  };
}
