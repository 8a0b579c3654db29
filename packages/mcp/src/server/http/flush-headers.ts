import type { ServerResponse } from 'node:http';
import type { NodeServerResponseLike } from '@modelcontextprotocol/node';

/**
 * Wraps a response for the SDK's adapter so that the headers of an event stream are sent at once. Node would hold them back until the first
 * event, and a client that opened a stream for notifications would not know that it is open.
 */
export function withFlushedHeaders(response: ServerResponse): NodeServerResponseLike {
  return {
    writeHead(status, headers) {
      response.writeHead(status, headers);
      if (headers?.['content-type']?.startsWith('text/event-stream') === true) response.flushHeaders();
    },
    write: (chunk) => response.write(chunk),
    end: (chunk) => (chunk === undefined ? response.end() : response.end(chunk)),
    on: (event, listener) => response.on(event, listener),
    get destroyed() {
      return response.destroyed;
    },
  };
}
