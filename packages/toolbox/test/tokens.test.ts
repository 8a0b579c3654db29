import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { verifies } from '@kernel/testing';
import { createRegistry } from '@kernel/tools';
import { expect, test } from 'vitest';
import { commandTools } from '../src/commands/index.ts';
import { fileTools } from '../src/files/index.ts';
import { memoryTool, noteTools } from '../src/memory/index.ts';
import { messageTool, streamChannel } from '../src/messages/index.ts';
import { type ScheduleStore, scheduleTool } from '../src/schedules/index.ts';
import { loadSkills } from '../src/skills/index.ts';
import { fakeSearch, fetchUrlTool, webSearchTool } from '../src/web/index.ts';
import { createWorkspace, memoryWorkspace } from '../src/workspace/index.ts';

/** Every tool of the package. */
async function everyTool() {
  const workspace = await createWorkspace({ root: tmpdir() });
  const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  mkdirSync(join(folder, 'release'));
  writeFileSync(join(folder, 'release/SKILL.md'), '---\nname: release\ndescription: Makes a release.\n---\nTag it.\n');
  const { tool: skill } = await loadSkills({ folders: [{ path: folder, from: 'user' }] });
  rmSync(folder, { recursive: true });
  return createRegistry([
    ...(skill === undefined ? [] : [skill]),
    ...fileTools(memoryWorkspace()),
    ...commandTools({ workspace }).tools,
    fetchUrlTool(),
    webSearchTool(fakeSearch([])),
    scheduleTool({ store: {} as ScheduleStore }),
    memoryTool(memoryWorkspace()),
    ...noteTools(memoryWorkspace()),
    messageTool([streamChannel(new PassThrough(), 'a'), streamChannel(new PassThrough(), 'b')]),
  ]).list();
}

test('the description and schema of each tool have less than 250 tokens, all together less than 3,000', async () => {
  verifies('toolbox.tokens', 'toolbox.files.cost');
  const tokens = (await everyTool()).map(
    // About four characters to a token.
    ({ name, description, parameters }) =>
      [name, Math.ceil(JSON.stringify({ name, description, parameters }).length / 4)] as const,
  );
  const total = tokens.reduce((sum, [, count]) => sum + count, 0);
  console.log(
    [...tokens, ['together', total] as const].map(([name, count]) => `${name.padEnd(16)} ${count}`).join('\n'),
  );
  for (const [name, count] of tokens) expect([name, count < 250]).toEqual([name, true]);
  expect(total).toBeLessThan(3000);
});

test('every tool says what it changes', async () => {
  expect(Object.fromEntries((await everyTool()).map(({ effect, name }) => [name, effect]))).toEqual({
    skill: 'read',
    read_file: 'read',
    list_directory: 'read',
    glob: 'read',
    search_text: 'read',
    write_file: 'write',
    edit_file: 'write',
    apply_patch: 'write',
    move: 'write',
    delete: 'write',
    undo: 'write',
    run_command: 'external',
    read_output: 'read',
    stop_command: 'read',
    fetch_url: 'external',
    web_search: 'external',
    schedule: 'external',
    memory: 'write',
    remember: 'write',
    recall: 'read',
    forget: 'write',
    message: 'external',
  });
});
