import type { FetchLike } from '@modelcontextprotocol/client';

/**
 * Wraps a `fetch` so that a message of more than `longestBytes` fails its response: a body as a whole, an event stream from one blank line to
 * the next. Responses that are no success are left as they are.
 */
export function limitFetch(inner: FetchLike, longestBytes: number): FetchLike {
  return async (url, init) => {
    const response = await inner(url, init);
    const { body, headers, status } = response;
    if (body === null || !response.ok) return response;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    let waiting = 0;
    const limit = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        const end = isStream ? eventEnd(chunk) : -1;
        waiting = end === -1 ? waiting + chunk.length : chunk.length - end;
        if (waiting > longestBytes) throw new Error(`a message holds more than ${longestBytes} bytes`);
        controller.enqueue(chunk);
      },
    });
    return new Response(body.pipeThrough(limit), { status, headers });
  };
}

/** Where the last event of a piece ends; -1 where none does. */
function eventEnd(chunk: Uint8Array): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(...['\n\n', '\r\n\r\n', '\r\r'].map((blank) => bytes.lastIndexOf(blank)));
}
