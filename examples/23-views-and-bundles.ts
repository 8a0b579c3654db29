import { callTool } from '@kernel/protocol';
// Choosing tools: a view is a Toolset that follows the registry, a snapshot does not, and a bundle lists what must exist.
import assert from 'node:assert/strict';
import { bindTool, createRegistry, defineBundle, resolveBundle } from '@kernel/tools';

const make = (name: string, category: string, effect: 'read' | 'write') =>
  bindTool({ name, description: `The ${name} tool.`, parameters: {}, effect, metadata: { category } }, () => name);
const registry = createRegistry([
  make('search', 'code', 'read'),
  make('edit', 'code', 'write'),
  make('git', 'vcs', 'write'),
]);

const readOnly = registry.view({ effect: 'read' });
const now = registry.snapshot();
registry.register(make('navigate', 'code', 'read'));
assert.deepEqual(readOnly.names(), ['search', 'navigate']);
assert.equal(now.list().length, 3);

const { signal } = new AbortController();
const denied = await callTool(readOnly, { type: 'tool-call', id: '1', name: 'edit', arguments: '' }, { signal });
assert.equal(denied.code, 'TOOL_NOT_FOUND'); // outside the view: nothing runs

const bundle = defineBundle({
  name: 'reviewer',
  description: 'What a reviewer needs.',
  required: ['search', 'git'],
  optional: ['web_search'],
});
const resolved = await resolveBundle(registry, bundle);
assert.deepEqual([resolved.tools.names(), resolved.missingOptional], [['search', 'git'], ['web_search']]);
registry.unregister('git');
await assert.rejects(resolveBundle(registry, bundle, { strict: true }), { code: 'BUNDLE_INCOMPLETE' });
console.log(registry.summaries().join('\n'));
