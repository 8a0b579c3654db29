import type { ExchangeEvents } from '../transport.ts';

/** The body of a `fetch` without streams, such as that of React Native, is delivered in one chunk. */
export function createBodyPump(events: Pick<ExchangeEvents, 'onFirstByte' | 'onData'>) {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let stopped = false;
  let paused: Promise<void> | undefined;
  let wake: (() => void) | undefined;
  let hasData = false;

  async function whilePaused(): Promise<void> {
    for (let pause = paused; pause !== undefined; pause = paused) await pause;
  }

  async function deliver(chunk: unknown): Promise<void> {
    await whilePaused();
    if (stopped) return;
    if (!(chunk instanceof Uint8Array)) throw new TypeError('The body is not a stream of bytes.');
    if (!hasData) {
      hasData = true;
      events.onFirstByte();
    }
    events.onData(chunk);
  }

  function resume(): void {
    paused = undefined;
    wake?.();
  }

  return {
    /** Resolves at the end of the body, or after `stop`. */
    async read(response: Response) {
      if (response.body === null || response.body === undefined) {
        const whole = new Uint8Array(await response.arrayBuffer());
        if (whole.length > 0) await deliver(whole);
        return;
      }
      reader = response.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (!done) await deliver(value);
        await whilePaused();
        if (done || stopped) return;
      }
    },
    /** Holds back the chunk that is being read as well. */
    pause() {
      paused ??= new Promise((resolve) => (wake = resolve));
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
