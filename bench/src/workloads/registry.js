// Tools without a network: one call, and registering and listing many.
import { bindTool, createRegistry } from '../ours.js';
import { resultOf, TOOLS } from '../tools.js';

const ARGUMENTS = JSON.stringify({ a: 'some words', b: 12, c: 'up', d: ['one', 'two'] });
const bindings = (count) =>
  Array.from({ length: count }, (_, at) =>
    bindTool({ ...TOOLS[at % 20], name: `tool_${at}`, effect: 'read' }, resultOf),
  );

/** `count` calls with four arguments: found, parsed, validated, handled. */
export function calls(count) {
  return async (contender) => {
    const call = await contender.execute(TOOLS, resultOf);
    return async () => {
      let length = 0;
      for (let at = 0; at < count; at += 1) length += (await call(`tool_${at % 20}`, ARGUMENTS)).length;
      return String(length);
    };
  };
}

export function registering(count) {
  return async () => async () => {
    const registry = createRegistry();
    for (const binding of bindings(count)) registry.register(binding);
    return String(registry.size);
  };
}

export function listing() {
  return async () => {
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
  };
}
