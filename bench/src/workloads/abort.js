// From the abort of a running stream to its closed socket, as the server sees it.
import { createFloor } from '../floor.js';
import { createProvider } from '../ours.js';

const MESSAGES = [{ role: 'user', content: 'Go.' }];
let made = 0;
const nextId = () => `${process.pid}-${(made += 1)}`;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function closedMs(port, id, since) {
  for (let tries = 0; tries < 500; tries += 1) {
    const text = await (await fetch(`http://127.0.0.1:${port}/closed/${id}`)).text();
    if (text !== '') return Number(BigInt(text) - since) / 1e6;
    await wait(2);
  }
  throw new Error('The socket was never closed.');
}

export function abortWork() {
  return {
    floor(port) {
      const floor = createFloor(port);
      return async () => {
        const id = nextId();
        const body = JSON.stringify({ model: id, messages: MESSAGES, stream: true });
        let begun;
        const first = new Promise((resolve) => void (begun = resolve));
        const { abort, done } = floor.stream('/slow/chat/completions', body, begun);
        await first;
        await wait(5);
        const since = process.hrtime.bigint();
        abort();
        const settled = await done.catch(() => 'aborted');
        return { made: settled, closedMs: await closedMs(port, id, since) };
      };
    },
    ours(port) {
      const provider = createProvider({ name: 'openai', baseUrl: `http://127.0.0.1:${port}/slow` });
      return async () => {
        const id = nextId();
        const stop = new AbortController();
        let since;
        let settled = 'finished';
        try {
          for await (const event of provider.stream({ model: id, messages: MESSAGES, signal: stop.signal })) {
            if (since !== undefined || event.type !== 'text-delta') continue;
            await wait(5);
            since = process.hrtime.bigint();
            stop.abort();
          }
        } catch (error) {
          settled = error === stop.signal.reason ? 'aborted' : String(error);
        }
        return { made: settled, closedMs: await closedMs(port, id, since) };
      };
    },
  };
}
