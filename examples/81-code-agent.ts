import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect, run } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import { createWorkspace } from '@kernel/toolbox';
import { codeAgent } from '@kernel/toolbox/agents';
import { permissions, withPermissions } from '@kernel/toolbox/permissions';
import { createRegistry } from '@kernel/tools';

const root = await mkdtemp(join(tmpdir(), 'example-'));
await writeFile(join(root, 'sum.js'), 'export const sum = (a, b) => a - b;\n');
await writeFile(
  join(root, 'sum.test.js'),
  "import test from 'node:test';\nimport assert from 'node:assert';\nimport { sum } from './sum.js';\ntest('2 + 2', () => assert.equal(sum(2, 2), 4));\n",
);
await writeFile(join(root, 'package.json'), '{ "type": "module", "scripts": { "test": "node --test" } }\n');

const workspace = await createWorkspace({ root, write: ['**', '!package.json'] });
const agent = await codeAgent({ workspace, mode: 'act' });
const asked: string[] = [];
const policy = permissions([...agent.rules, { allow: 'edit_file(*.js)' }, { allow: 'run_command(node --test)' }], {
  root: workspace.folder,
  ask({ call }) {
    asked.push(call.name); // show the call to a person instead
    return { decision: 'deny', reason: 'Not now.' };
  },
});

const edit = { path: 'sum.js', edits: [{ old_text: 'a - b', new_text: 'a + b' }] };
const provider = scriptedProvider([
  { calls: [{ name: 'run_command', arguments: { command: ['node', '--test'] } }] },
  { calls: [{ name: 'edit_file', arguments: edit }] },
  { calls: [{ name: 'run_command', arguments: { command: ['node', '--test'] } }] },
  { calls: [{ name: 'delete', arguments: { path: 'sum.test.js' } }] },
  { text: 'sum subtracted. It adds now, and its test passes.' },
]);
const result = await collect(
  run({
    provider,
    model: 'any-model',
    system: agent.instructions,
    messages: [{ role: 'user', content: 'The test fails. Mend it.' }],
    tools: withPermissions(createRegistry(agent.tools), policy),
    approve: policy.approve,
  }),
);

assert.equal(result.reason, 'done');
assert.equal(await readFile(join(root, 'sum.js'), 'utf8'), 'export const sum = (a, b) => a + b;\n');
const [before, edited, after] = result.toolCalls.map((call) => call.result);
assert.match(before?.forLLM ?? '', /^Exit code 1/);
assert.match(edited?.forUser ?? '', /^-export const sum = \(a, b\) => a - b;$/m); // a diff, to show to the user
assert.match(after?.forLLM ?? '', /^Exit code 0/);
assert.deepEqual(asked, ['delete']); // no rule matches it
console.log(edited?.forUser);

await agent.close(); // ends background commands
await workspace.close(); // deletes what was kept for undo
await rm(root, { recursive: true });
