// A policy is a wrapper of a port: six lines that deny some tools, tested alone, stacked as you like.
import assert from 'node:assert/strict';
import { callTool, errorResult, type Toolset, wrapCalls } from '@kernel/protocol';
import { bindTool, createRegistry } from '@kernel/tools';

function withDenyList(inner: Toolset, denied: ReadonlySet<string>): Toolset {
  return wrapCalls(inner, (prepared) => {
    const { name } = prepared.tool;
    return denied.has(name) ? errorResult(`TOOL_DENIED: "${name}" is not allowed here.`) : prepared;
  });
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
