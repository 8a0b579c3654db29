// A policy is a wrapper of a port: twelve lines that deny some tools, tested alone, stacked as you like.
import assert from 'node:assert/strict';
import { errorResult, type Toolset, callTool } from '@kernel/protocol';
import { bindTool, createRegistry } from '@kernel/tools';

function withDenyList(inner: Toolset, denied: ReadonlySet<string>): Toolset {
  return {
    ...inner, // list, beginTurn and subscribe go through
    call: (call, context) =>
      denied.has(call.name)
        ? Promise.resolve(errorResult(`TOOL_DENIED: "${call.name}" is not allowed here.`))
        : callTool(inner, call, context),
  };
}

const parameters = { type: 'object', properties: {} };
const registry = createRegistry([
  bindTool({ name: 'look', description: 'Looks.', parameters }, () => 'seen'),
  bindTool({ name: 'launch', description: 'Launches.', parameters }, () => 'gone'),
]);
const careful = withDenyList(registry, new Set(['launch']));

const { signal } = new AbortController();
const call = (name: string) => callTool(careful, { type: 'tool-call', id: '1', name, arguments: '' }, { signal });
assert.equal((await call('look')).forLLM, 'seen');
assert.equal((await call('launch')).isError, true);
console.log((await call('launch')).forLLM);
