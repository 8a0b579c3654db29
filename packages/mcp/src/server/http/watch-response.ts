import { onAbort } from '@kernel/internal';

/** Called once when a response has ended: its whole body was read, or the client disconnected before. */
export type OnResponseEnd = (how: 'sent' | 'disconnected') => void;

/**
 * Returns a response whose body also ends when the client disconnects (`signal`), even while nothing is written, and reports how it
 * ended. Otherwise a stream that nobody reads any more would count as open until its next byte.
 */
export function watchResponse(response: Response, signal: AbortSignal, onEnd: OnResponseEnd): Response {
  const { body } = response;
  if (body === null) {
    onEnd(signal.aborted ? 'disconnected' : 'sent');
    return response;
  }
  const reader = body.getReader();
  let hasEnded = false;
  let removeAbortListener: (() => void) | undefined;
  const end: OnResponseEnd = (how) => {
    if (hasEnded) return;
    hasEnded = true;
    removeAbortListener?.();
    onEnd(how);
  };
  removeAbortListener = onAbort(signal, () => {
    end('disconnected');
    reader.cancel().catch(() => {}); // it had failed already
  });
  const watched = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const part: { readonly done: boolean; readonly value?: Uint8Array } = await reader.read();
        if (part.value !== undefined) return controller.enqueue(part.value);
        end('sent');
        controller.close();
      } catch (error) {
        end('disconnected');
        controller.error(error);
      }
    },
    cancel(reason) {
      end('disconnected');
      return reader.cancel(reason);
    },
  });
  return new Response(watched, { status: response.status, headers: response.headers });
}
