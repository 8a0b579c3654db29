// Hundreds of tools, few on offer: the model finds the others with find_tools, and they stay for the next turns.
import assert from 'node:assert/strict';
import { collect, run } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import { bindTool, createRegistry, searchTool } from '@kernel/tools';

const registry = createRegistry();
registry.register(searchTool(registry, { ttl: 2 }));
for (const unit of ['length', 'weight', 'temperature', 'currency'])
  registry.register(
    bindTool(
      { name: `convert_${unit}`, description: `Converts between units of ${unit}.`, parameters: {} },
      () => `${unit} done`,
    ),
    { hidden: true },
  );

const provider = scriptedProvider([
  { calls: [{ name: 'find_tools', arguments: { query: 'convert a temperature' } }] },
  { calls: [{ name: 'convert_temperature' }] },
  { text: 'Done.' },
]);
const messages = [{ role: 'user', content: 'How much is 20 °C in °F?' }] as const;
const result = await collect(run({ provider, model: 'any-model', messages, tools: registry }));

const offered = provider.streamRequests.map((request) => request.tools?.map((tool) => tool.name) ?? []);
for (const names of offered) console.log(names.join(', '));
assert.deepEqual(offered[0], ['find_tools']);
assert.ok(offered[1]?.includes('convert_temperature'));
assert.equal(result.toolCalls[1]?.result.forLLM, 'temperature done');
