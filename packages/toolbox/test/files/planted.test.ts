import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { commandTools, detectIsolation } from '../../src/commands/index.ts';
import { searchTextTool } from '../../src/files/index.ts';
import { createWorkspace } from '../../src/workspace/index.ts';
import { emptyFolder } from '../commands/support.ts';

describe.skipIf(process.platform === 'win32')('programs that a repository brings along', () => {
  it('are run neither by a search nor to find out how to isolate', async () => {
    verifies('toolbox.isolation');
    const root = await emptyFolder();
    const outside = await emptyFolder();
    const bin = join(root, 'node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(bin, join(outside, 'link'));
    for (const name of ['rg', 'bwrap', 'unshare', 'true'])
      writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >>'${join(outside, 'ran')}'\n`, { mode: 0o755 });
    // As `npm run` sets it, and by another name.
    vi.stubEnv('PATH', [bin, join(outside, 'link'), process.env['PATH']].join(delimiter));
    onTestFinished(() => void vi.unstubAllEnvs());
    writeFileSync(join(root, 'a.txt'), 'needle');
    const workspace = await createWorkspace({ root, write: ['**'] });
    const registry = createRegistry([searchTextTool(workspace)]);
    const found = await registry.call(
      { type: 'tool-call', id: '1', name: 'search_text', arguments: '{"query":"needle"}' },
      { signal: new AbortController().signal },
    );
    expect(found.forLLM).toContain('needle');
    await detectIsolation();
    const { tools, close } = commandTools({ workspace, isolation: 'none' });
    onTestFinished(close);
    await createRegistry(tools).execute('run_command', { command: ['true'] });
    expect(existsSync(join(outside, 'ran'))).toBe(false);
  });
});
