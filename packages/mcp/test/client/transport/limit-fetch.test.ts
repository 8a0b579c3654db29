import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { limitFetch } from '../../../src/client/transport/limit-fetch.ts';

/** The length of the body of an event stream that arrives in these pieces, with messages of at most 100 bytes. */
async function read(pieces: readonly string[]): Promise<number> {
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  const limited = limitFetch(() => Promise.resolve(response), 100);
  return (await (await limited('http://127.0.0.1')).text()).length;
}

const DATA = `data: ${'x'.repeat(50)}`;

test.each([
  ['\n', '\n'],
  ['\r\n', '\r\n'],
  ['\r', '\n\r\n'],
  ['\r\n\r', '\n'],
  ['\r', '\r'],
  ['\n\n', ''],
])('a blank line that is split between two chunks (%j, %j) ends a message', async (first, second) => {
  verifies('mcp.client.bounded');
  const pieces = Array.from({ length: 20 }, () => [DATA + first, second]).flat();
  expect(await read(pieces)).toBe(pieces.join('').length);
});

test('a message that has no end is refused, in whatever chunks it comes', async () => {
  verifies('mcp.client.bounded');
  for (const piece of [DATA, `${DATA}\n`, 'x']) {
    const pieces = Array.from({ length: 200 }, () => piece);
    await expect(read(pieces)).rejects.toThrow('a message has more than 100 bytes');
  }
});
