// The floor: a client written by hand on undici's dispatch. Costs are given as multiples of it.
import Pool from 'undici/lib/dispatcher/pool.js';
import { floorContender } from './floor-client.js';

/** `send` of a floor over a pool of undici. */
export function sendOver(pool) {
  return (path, body, onData) => {
    let controller;
    const done = new Promise((resolve, reject) => {
      pool.dispatch(
        { path, method: 'POST', headers: { 'content-type': 'application/json' }, body },
        {
          onRequestStart: (given) => void (controller = given),
          onResponseStart() {},
          onResponseData: (_, bytes) => onData(bytes),
          onResponseEnd: resolve,
          onResponseError: (_, error) => reject(error),
        },
      );
    });
    return { done, abort: () => controller?.abort(new Error('aborted')) };
  };
}

const floor = floorContender((origin, connections = 10) => sendOver(new Pool(origin, { connections, pipelining: 1 })));

export const loop = (url, options) => floor.loop(url, options);
export const text = (url, options) => floor.text(url, options);
export const callArguments = (url) => floor.callArguments(url);

/** What a schema compiler would make of the schema. */
function check(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (typeof value.a !== 'string' || typeof value.b !== 'number') return false;
  if (value.c !== undefined && value.c !== 'up' && value.c !== 'down') return false;
  if (value.d !== undefined && !(Array.isArray(value.d) && value.d.every((item) => typeof item === 'string')))
    return false;
  for (const key of Object.keys(value)) if (key !== 'a' && key !== 'b' && key !== 'c' && key !== 'd') return false;
  return true;
}

export function execute(tools, handler) {
  const handlers = new Map(tools.map(({ name }) => [name, async (input) => handler(input)]));
  return async (name, args) => {
    const input = JSON.parse(args);
    if (!check(input)) throw new Error('refused');
    return handlers.get(name)(input);
  };
}
