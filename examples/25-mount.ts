// One registry in another: names get a prefix, stay legal and map back one to one; changes are followed.
import assert from 'node:assert/strict';
import { bindTool, createRegistry } from '@kernel/tools';

const parameters = { type: 'object', properties: {} };
const git = createRegistry([
  bindTool({ name: 'status', description: 'Shows what changed.', parameters }, () => 'clean'),
]);
const registry = createRegistry([
  bindTool({ name: 'status', description: 'Shows the system.', parameters }, () => 'well'),
]);

const mount = registry.mount('git', git);
console.log(registry.names().join(', '));
const [own, mounted] = registry.names();
assert.equal((await registry.execute(own ?? '')).forLLM, 'well');
assert.equal((await registry.execute(mounted ?? '')).forLLM, 'clean');

git.register(bindTool({ name: 'log', description: 'Shows the history.', parameters }, () => 'one commit'));
assert.equal(registry.size, 3);
mount.unmount();
assert.deepEqual(registry.names(), ['status']);
