import type { FetchLike } from '@modelcontextprotocol/client';

/**
 * Wraps a `fetch` so that a message of more than `maxBytes` fails its response: a whole body, or in an event stream what lies between two
 * blank lines. Responses with an error status pass unchanged.
 */
export function limitFetch(inner: FetchLike, maxBytes: number): FetchLike {
  return async (url, init) => {
    const response = await inner(url, init);
    const { body, headers, status } = response;
    if (body === null || !response.ok) return response;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    let messageBytes = 0;
    const limit = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        const end = isStream ? lastEventEnd(chunk) : -1;
        messageBytes = end === -1 ? messageBytes + chunk.length : chunk.length - end;
        if (messageBytes > maxBytes) throw new Error(`a message has more than ${maxBytes} bytes`);
        controller.enqueue(chunk);
      },
    });
    return new Response(body.pipeThrough(limit), { status, headers });
  };
}

/** Where the last event of a chunk ends, or -1 if none does. */
function lastEventEnd(chunk: Uint8Array): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(...['\n\n', '\r\n\r\n', '\r\r'].map((blankLine) => bytes.lastIndexOf(blankLine)));
}
