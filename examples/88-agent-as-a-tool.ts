// Another agent, over ACP, as a tool: what it asks for is decided on here, and its changes come back as one diff.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acpAgent } from '@kernel/acp';
import { collect, run } from '@kernel/agent';
import type { Approve } from '@kernel/protocol';
import { scriptedProvider } from '@kernel/testing';
import { createWorkspace } from '@kernel/toolbox/workspace';
import { createRegistry } from '@kernel/tools';

const root = await mkdtemp(join(tmpdir(), 'example-'));
await writeFile(join(root, 'a.txt'), 'one\n');
const workspace = await createWorkspace({ root, write: ['**'] });

// In place of `command: 'gemini', args: ['--experimental-acp']`, so that this runs anywhere:
const agent = fileURLToPath(new URL('servers/small-agent.ts', import.meta.url));
const helper = acpAgent({ command: process.execPath, args: [agent], name: 'helper', workspace });

const approve: Approve = ({ call }) => {
  console.log(`${call.name}: ${call.arguments}`); // helper: …, agent_command: …, apply_patch: …
  if (call.name === 'agent_command') return { decision: 'deny', reason: 'Nothing is deleted here.' };
  return { decision: 'allow' };
};
const provider = scriptedProvider([
  { calls: [{ name: 'helper', arguments: '{"task":"Check a.txt."}' }] },
  { text: 'It is checked.' },
]);
const messages = [{ role: 'user', content: 'Have a.txt checked.' }] as const;
const { toolCalls } = await collect(run({ provider, model: 'm', messages, tools: createRegistry([helper]), approve }));
console.log(toolCalls[0]?.result.forLLM); // I checked a.txt, and left the rest. … Done (change …): M "a.txt" …

assert.match(toolCalls[0]?.result.forLLM ?? '', /^I checked a\.txt, and left the rest\./);
assert.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'Checked.\none\n');
await workspace.undo();
assert.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'one\n');
await workspace.close();
await rm(root, { recursive: true });
