import { verifies } from '@kernel/testing';
import { createRegistry } from '@kernel/tools';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { codeAgent } from '../../src/agents/index.ts';
import { createWorkspace } from '../../src/workspace/index.ts';
import { fakeTerminals } from '../commands/fake-terminals.ts';
import { fakeEditor } from '../workspace/fake-editor.ts';

describe('code_agent', () => {
  it('works through the files and terminals of an editor', async () => {
    verifies('toolbox.bundles');
    const root = await realpath(await mkdtemp(`${tmpdir()}/agent-`));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    const [{ calls: asked, files }, { calls: started, terminals }] = [fakeEditor(), fakeTerminals()];
    const workspace = await createWorkspace({ root, write: ['**'], editor: files });
    const { close, tools } = await codeAgent({ workspace, commands: { isolation: 'none', terminals } });
    onTestFinished(close);
    const registry = createRegistry(tools);
    await registry.execute('write_file', { path: 'a.txt', content: 'written' });
    expect((await registry.execute('run_command', { command: ['cat', 'a.txt'] })).forLLM).toContain('written');
    expect(asked).toContain(`write ${root}/a.txt`);
    expect(started).toHaveLength(1);
  });
});
