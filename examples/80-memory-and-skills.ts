import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect, run } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import { createWorkspace } from '@kernel/toolbox';
import { memoryTool, noteTools } from '@kernel/toolbox/memory';
import { loadSkills, skillPins } from '@kernel/toolbox/skills';
import { createRegistry } from '@kernel/tools';

const folder = await mkdtemp(join(tmpdir(), 'example-'));
await mkdir(join(folder, 'memory'));
await mkdir(join(folder, 'project/skills/release'), { recursive: true });
await writeFile(
  join(folder, 'project/skills/release/SKILL.md'),
  '---\nname: release\ndescription: Makes a release. Use when asked to publish.\nallowed-tools: Bash(npm run release)\n---\nTag first.\n',
);

const memory = await createWorkspace({ root: join(folder, 'memory'), write: ['**'] });
const skills = await loadSkills({
  folders: [
    { path: join(folder, 'home/skills'), from: 'user' }, // trusted; need not exist
    { path: join(folder, 'project/skills'), from: 'project' }, // needs approval once, and again after each change
  ],
  pins: skillPins(join(folder, 'state/skills.json')),
  approve: ({ name, rules }) => name === 'release' && rules.length === 1, // show `text` and `files` to a person instead
});
const policy = skills.permissions([{ allow: 'remember' }, { allow: 'memory(/memories/**)' }]);
assert.equal(policy.decide('run_command', { command: ['npm', 'run', 'release'] }).verdict, 'ask');

const provider = scriptedProvider([
  { calls: [{ name: 'skill', arguments: { name: 'release' } }] },
  { calls: [{ name: 'remember', arguments: { text: 'Releases are tagged first.', tags: ['release'] } }] },
  { calls: [{ name: 'recall', arguments: { query: 'tagged releases' } }] },
  { text: 'I noted how releases are made.' },
]);
const tools = createRegistry([
  memoryTool(memory),
  ...noteTools(memory),
  ...(skills.tool === undefined ? [] : [skills.tool]),
]);
const messages = [
  { role: 'system', content: skills.prompt() },
  { role: 'user', content: 'How do we publish?' },
] as const;
const result = await collect(run({ provider, model: 'any-model', messages, tools, approve: policy.approve }));

assert.equal(result.reason, 'done');
assert.equal(policy.decide('run_command', { command: ['npm', 'run', 'release'] }).verdict, 'allow'); // the skill is in use
for (const { call, result: outcome } of result.toolCalls)
  console.log(call.name, outcome.isError === true ? 'failed' : 'done');
await memory.close();
await rm(folder, { recursive: true });
