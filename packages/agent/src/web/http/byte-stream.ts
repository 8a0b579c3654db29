import { MAX_TIMER_MS, onAbort } from '@kernel/internal';

export interface ByteStreamOptions {
  readonly heartbeat?: string | undefined;
  /** How long it waits for the next text before it sends a heartbeat. 0: it sends none. */
  readonly heartbeatMs: number;
  readonly signal?: AbortSignal | undefined;
}

const LATE = Symbol('late');
const NOTHING = (): void => {};

/**
 * Creates a stream of the texts as UTF-8. It asks for a text when somebody reads, and never reads ahead. `cancel` stops the iteration at once; an
 * error of the iteration becomes one of the stream.
 */
export function toByteStream(
  texts: AsyncIterable<string>,
  { heartbeat, heartbeatMs, signal }: ByteStreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = texts[Symbol.asyncIterator]();
  let pending: Promise<IteratorResult<string, unknown>> | undefined;
  let isOver = false;
  let removeAbortListener = NOTHING;
  let wake = NOTHING;

  async function leave(): Promise<void> {
    isOver = true;
    removeAbortListener();
    wake();
    await iterator.return?.();
  }

  /** Waits for the next text, for at most `heartbeatMs`. */
  async function nextText(): Promise<IteratorResult<string, unknown> | typeof LATE> {
    pending ??= iterator.next();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<typeof LATE>((resolve) => {
      wake = () => resolve(LATE);
      if (heartbeat !== undefined && heartbeatMs > 0 && heartbeatMs <= MAX_TIMER_MS)
        timer = setTimeout(wake, heartbeatMs);
    });
    try {
      return await Promise.race([pending, late]);
    } finally {
      clearTimeout(timer);
      wake = NOTHING;
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        removeAbortListener = onAbort(signal, () => {
          if (isOver) return;
          controller.close();
          void leave().catch(() => {});
        });
      },
      async pull(controller) {
        try {
          const next = await nextText();
          // The reader has left meanwhile. What was asked for last may still fail, and nobody is there to hear it.
          if (isOver) return void pending?.catch(() => {});
          if (next === LATE) return controller.enqueue(encoder.encode(heartbeat));
          pending = undefined;
          if (next.done !== true) return controller.enqueue(encoder.encode(next.value));
          isOver = true;
          removeAbortListener();
          controller.close();
        } catch (error) {
          if (isOver) return;
          isOver = true;
          removeAbortListener();
          controller.error(error);
        }
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
}
