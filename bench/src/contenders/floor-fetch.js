// The same floor over the fetch of Node, which most of the others use.
import { floorContender } from './floor-client.js';

export const { loop, text, callArguments } = floorContender((origin) => (path, body, onData) => {
  const stop = new AbortController();
  const headers = { 'content-type': 'application/json' };
  const send = async () => {
    const response = await fetch(origin + path, { method: 'POST', headers, body, signal: stop.signal });
    for await (const bytes of response.body) onData(bytes);
  };
  return { done: send(), abort: () => stop.abort() };
});
