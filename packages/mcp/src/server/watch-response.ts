/** What comes after a response: its whole body was read, or the client left before. Called once. */
export type ResponseEnd = (why: 'sent' | 'left') => void;

/**
 * Returns the same response with a body that ends when the client leaves (`signal`), also while nothing is written, and says how it
 * ended. A stream that nobody reads any more would else count as open until the next byte.
 */
export function watchResponse(response: Response, signal: AbortSignal, onEnd: ResponseEnd): Response {
  const { body } = response;
  if (body === null) {
    onEnd(signal.aborted ? 'left' : 'sent');
    return response;
  }
  const reader = body.getReader();
  let isOver = false;
  const end: ResponseEnd = (why) => {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener('abort', onAbort);
    onEnd(why);
  };
  const onAbort = (): void => {
    end('left');
    reader.cancel().catch(() => {}); // it had failed already
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  const watched = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const part: { readonly done: boolean; readonly value?: Uint8Array } = await reader.read();
        if (part.value !== undefined) return controller.enqueue(part.value);
        end('sent');
        controller.close();
      } catch (error) {
        end('left');
        controller.error(error);
      }
    },
    cancel(reason) {
      end('left');
      return reader.cancel(reason);
    },
  });
  return new Response(watched, { status: response.status, headers: response.headers });
}
