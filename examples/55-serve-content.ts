import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectMcp, serveHttp } from '@kernel/mcp';
import { visibleFiles } from '@kernel/toolbox/files';
import { loadSkills } from '@kernel/toolbox/skills';
import { createWorkspace } from '@kernel/toolbox/workspace';
import { createRegistry } from '@kernel/tools';

const folder = await mkdtemp(join(tmpdir(), 'kernel-content-'));
await mkdir(join(folder, 'skills/release'), { recursive: true });
await writeFile(
  join(folder, 'skills/release/SKILL.md'),
  '---\nname: release\ndescription: How to release.\n---\nRun the tests first.\n',
);
await writeFile(join(folder, 'notes.md'), '# Notes\n');
await writeFile(join(folder, '.env'), 'KEY=secret\n');

const skills = await loadSkills({ folders: [{ path: join(folder, 'skills'), from: 'user' }] });
const server = await serveHttp(createRegistry(), {
  content: {
    files: visibleFiles(await createWorkspace({ root: folder })),
    skills: skills.files(),
    prompts: [
      {
        name: 'review',
        arguments: [{ name: 'file', required: true }],
        messages: ({ file = '' }) => `Review ${file}.`,
      },
    ],
  },
});

// What a client sees; the file with credentials is not served.
const client = await connectMcp({ mcpServers: { project: { url: server.url } } });
const resources = await client.listResources();
assert.deepEqual(
  resources.map(({ uri }) => uri),
  ['skill://release/SKILL.md', 'workspace:///notes.md', 'workspace:///skills/release/SKILL.md'],
);
console.log(await client.readResource({ server: 'project', uri: 'workspace:///notes.md' }));
console.log(await client.getPrompt({ server: 'project', name: 'review' }, { file: 'notes.md' }));
await assert.rejects(client.readResource({ server: 'project', uri: 'workspace:///.env' }));

// A model finds the same with tools, which a registry hides until it looks for them.
const tools = createRegistry();
for (const tool of client.contentTools()) tools.register(tool, { hidden: true });
console.log(tools.hiddenTools().map(({ name }) => name)); // list_resources, read_resource, …

await client.close();
await server.close();
await rm(folder, { recursive: true });
