import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createProvider } from '../../src/index.ts';
import { request } from '../support.ts';

const STREAMS = 40;
const EVENT_LENGTH = 400 * 1024;

test('streams in the middle of a reply keep less than half of the event that has arrived', async () => {
  verifies('providers.stream.retained');
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const inUse = async (): Promise<number> => {
    for (let least = Infinity; ;) {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      if (heapUsed + external >= least) return least;
      least = heapUsed + external;
      // Buffers are freed by callbacks, and beside the program: what they held is gone in a later turn.
      await setImmediate();
    }
  };
  const delta = { choices: [{ index: 0, delta: { content: 'word' }, logprobs: 'x'.repeat(EVENT_LENGTH) }] };
  const event = `data: ${JSON.stringify(delta)}\n\n`;
  const written: Promise<unknown>[] = [];
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    written.push(new Promise((resolve) => void response.write(`${event}data: {"choices"`, resolve)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const provider = createProvider({
    name: 'openai',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    connections: STREAMS + 1,
  });
  const open = async () => {
    const events = provider.stream(request())[Symbol.asyncIterator]();
    expect(await events.next()).toMatchObject({ value: { type: 'text-delta', text: 'word' } });
    return events;
  };
  const first = await open();
  const before = await inUse();
  const streams = await Promise.all(Array.from({ length: STREAMS }, open));
  // The server is in this process: what it has not written yet is its own.
  await Promise.all(written);
  expect((await inUse()) - before).toBeLessThan((STREAMS * EVENT_LENGTH) / 2);
  await Promise.all([first, ...streams].map(async (events) => events.return?.()));
  server.closeAllConnections();
  server.close();
});
