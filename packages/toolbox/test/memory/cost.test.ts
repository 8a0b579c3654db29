import { verifies } from '@kernel/testing';
import { expect, it } from 'vitest';
import { memoryTool, noteTools } from '../../src/memory/index.ts';
import { loadSkills } from '../../src/skills/index.ts';
import { memoryWorkspace } from '../../src/workspace/index.ts';
import { folderWith } from '../workspace/folders.ts';

/** Models take three to four characters of JSON for a token; the stricter number counts. */
const CHARACTERS_A_TOKEN = 3.3;

it('each tool for memory and skills costs less than 250 tokens, however many skills there are', async () => {
  verifies('toolbox.memory.cost');
  const files = Array.from({ length: 50 }, (_, i) => [`s${i}/SKILL.md`, `---\nname: s${i}\ndescription: d\n---\n`]);
  const path = folderWith(Object.fromEntries(files));
  const { tool } = await loadSkills({ folders: [{ path, from: 'user' }] });
  const workspace = memoryWorkspace();
  const all = [memoryTool(workspace), ...noteTools(workspace), ...(tool === undefined ? [] : [tool])];
  const costs = all.map(({ tool: { description, name, parameters } }) => {
    const { length } = JSON.stringify({ name, description, parameters });
    return [name, Math.ceil(length / CHARACTERS_A_TOKEN)] as const;
  });
  for (const [name, tokens] of costs) console.log(`${name.padEnd(10)} ${tokens} tokens`);
  expect(costs.map(([name]) => name)).toEqual(['memory', 'remember', 'recall', 'forget', 'skill']);
  expect(costs.filter(([, tokens]) => tokens >= 250)).toEqual([]);
});
