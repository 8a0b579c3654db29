// The registry without a network.
import { bindTool, createRegistry } from '../ours.js';
import { resultOf, TOOLS } from '../tools.js';

const ARGUMENTS = JSON.stringify({ a: 'some words', b: 12, c: 'up', d: ['one', 'two'] });
const bindings = (count) =>
  Array.from({ length: count }, (_, at) =>
    bindTool({ ...TOOLS[at % 20], name: `tool_${at}`, effect: 'read' }, resultOf),
  );

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

export function dispatchWork(count) {
  return {
    floor() {
      const handlers = new Map(TOOLS.map(({ name }) => [name, async (input) => resultOf(input)]));
      return async () => {
        let length = 0;
        for (let at = 0; at < count; at += 1) {
          const handler = handlers.get(`tool_${at % 20}`);
          const input = JSON.parse(ARGUMENTS);
          if (!check(input)) throw new Error('refused');
          length += (await handler(input)).length;
        }
        return String(length);
      };
    },
    ours() {
      const registry = createRegistry(bindings(20));
      const { signal } = new AbortController();
      return async () => {
        let length = 0;
        for (let at = 0; at < count; at += 1) {
          const call = { type: 'tool-call', id: 'c', name: `tool_${at % 20}`, arguments: ARGUMENTS };
          length += (await registry.call(call, { signal })).forLLM.length;
        }
        return String(length);
      };
    },
  };
}

export function registerWork(count) {
  return {
    ours: () => async () => {
      const registry = createRegistry();
      for (const binding of bindings(count)) registry.register(binding);
      return String(registry.size);
    },
  };
}

export function listWork() {
  return {
    ours() {
      const [small, large] = [createRegistry(bindings(10)), createRegistry(bindings(10_000))];
      const timeOf = (registry) => {
        const start = performance.now();
        let seen = 0;
        for (let at = 0; at < 2_000_000; at += 1) seen += registry.list().length;
        return { ms: performance.now() - start, seen };
      };
      return async () => {
        timeOf(small);
        timeOf(large);
        return { made: 'listed', listRatio: timeOf(large).ms / timeOf(small).ms };
      };
    },
  };
}
