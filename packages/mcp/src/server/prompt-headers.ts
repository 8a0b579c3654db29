import type { ServerResponse } from 'node:http';
import type { NodeServerResponseLike } from '@modelcontextprotocol/node';

/**
 * Returns a response for the SDK's adapter whose headers leave at once when a stream begins. Node would hold them back until the first
 * event, and a client that opened a stream for notifications would not know that it is open.
 */
export function withPromptHeaders(response: ServerResponse): NodeServerResponseLike {
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
