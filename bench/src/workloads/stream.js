// Streams: long ones, many at once, arguments in pieces, one that is left, and one that would fill the memory.
import { digest } from '../measure.js';

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** `count` streams at once of `deltas` pieces of text each. */
export function texts(deltas, count = 1) {
  return async (contender, port) => {
    const once = await contender.text(`http://127.0.0.1:${port}/text/${deltas}`, { connections: count });
    return async () => {
      const all = await Promise.all(Array.from({ length: count }, async () => digest(await once())));
      return [...new Set(all)].join();
    };
  };
}

/** One call whose arguments of `bytes` come in pieces of `size` characters. */
export function callArguments(bytes, size) {
  return async (contender, port) => {
    const once = await contender.callArguments(`http://127.0.0.1:${port}/args/${bytes}/${size}`);
    return async () => digest(await once());
  };
}

/** The same in a loop: the arguments are checked, a tool takes them, and the answer follows. */
export function callInLoop(bytes, size) {
  return async (contender, port) => {
    const url = `http://127.0.0.1:${port}/args/${bytes}/${size}`;
    const lengths = new Set();
    const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    const tools = [
      { name: 'write', description: 'Writes a text.', parameters: { ...parameters, additionalProperties: false } },
    ];
    const handler = ({ text }) => {
      lengths.add(text.length);
      return 'written';
    };
    const once = await contender.loop(url, { turns: 1, streamed: true, tools, handler });
    return async () => `${await once()}${[...lengths].join()}`;
  };
}

let made = 0;

/** From the abort of a running stream to its closed socket, as the server sees it. */
export function aborts() {
  return async (contender, port) => {
    const once = await contender.text(`http://127.0.0.1:${port}/slow`);
    return async () => {
      const model = `${process.pid}-${(made += 1)}`;
      const stop = new AbortController();
      const begun = Promise.withResolvers();
      const settled = once({ model, signal: stop.signal, onText: begun.resolve }).then(
        () => 'settled',
        () => 'settled',
      );
      await begun.promise;
      await wait(5);
      const since = process.hrtime.bigint();
      stop.abort();
      const end = await Promise.race([settled, wait(5000).then(() => 'hangs')]);
      return { made: end, closedMs: await closedMs(port, model, since) };
    };
  };
}

async function closedMs(port, id, since) {
  for (let tries = 0; tries < 500; tries += 1) {
    const text = await (await fetch(`http://127.0.0.1:${port}/closed/${id}`)).text();
    if (text !== '') return Number(BigInt(text) - since) / 1e6;
    await wait(2);
  }
  throw new Error('The socket was never closed.');
}

/** A reply of 256 MiB in 256 KiB of gzip. */
export function bomb() {
  return async (contender, port) => {
    const once = await contender.text(`http://127.0.0.1:${port}/bomb`);
    return async () => {
      try {
        await once();
        return 'took it';
      } catch (error) {
        return error.code;
      }
    };
  };
}
