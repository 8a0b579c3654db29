import type { FetchLike } from '@modelcontextprotocol/client';

const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Wraps a `fetch` so that a message of more than `maxBytes` fails its response: a whole body, or in an event stream what lies between two
 * blank lines. The body of a response with an error status ends after `MAX_ERROR_BYTES`: it is only read for a message.
 */
export function limitFetch(inner: FetchLike, maxBytes: number): FetchLike {
  return async (url, init) => {
    const response = await inner(url, init);
    const { body, headers, status, statusText } = response;
    if (body === null) return response;
    if (!response.ok) return new Response(body.pipeThrough(cutAfter(MAX_ERROR_BYTES)), { status, statusText, headers });
    if (headers.get('content-type')?.startsWith('text/event-stream') !== true)
      return new Response(await readWhole(body, maxBytes), { status, statusText, headers });
    let messageBytes = 0;
    let before: Uint8Array<ArrayBuffer> = new Uint8Array();
    const limit = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        const inside = lastEventEnd(chunk);
        // A blank line may lie in two chunks.
        const start = inside === -1 && lastEventEnd(joinBytes(before, chunk.subarray(0, 3))) !== -1 ? 0 : inside;
        if (start !== -1) messageBytes = -start;
        before = joinBytes(before, chunk.subarray(-3)).slice(-3);
        messageBytes += chunk.length;
        if (messageBytes > maxBytes) throw tooLong(maxBytes);
        controller.enqueue(chunk);
      },
    });
    return new Response(body.pipeThrough(limit), { status, statusText, headers });
  };
}

/** Reads a body that is one message: a stream that counts would cost more than the rest of a call. */
async function readWhole(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw tooLong(maxBytes);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function tooLong(maxBytes: number): Error {
  return new Error(`a message has more than ${maxBytes} bytes`);
}

function cutAfter(maxBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let left = maxBytes;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.terminate();
    },
  });
}

function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat([first, second]));
}

function lastEventEnd(chunk: Uint8Array): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(...['\n\n', '\r\n\r\n', '\r\r'].map((blankLine) => bytes.lastIndexOf(blankLine)));
}
