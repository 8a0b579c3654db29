// The same floor over the fetch of Node, which most of the others use.
import { floorContender } from './floor-client.js';

const floor = floorContender((origin) => (path, body, onData) => {
  const stop = new AbortController();
  const headers = { 'content-type': 'application/json' };
  const send = async () => {
    const response = await fetch(origin + path, { method: 'POST', headers, body, signal: stop.signal });
    for await (const bytes of response.body) onData(bytes);
  };
  return { done: send(), abort: () => stop.abort() };
});

export const loop = (url, options) => floor.loop(url, options);
export const text = (url, options) => floor.text(url, options);
export const callArguments = (url) => floor.callArguments(url);
