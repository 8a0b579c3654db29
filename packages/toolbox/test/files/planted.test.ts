import { callTool } from '@kernel/protocol';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  bubblewrap,
  commandTools,
  containerIsolation,
  detectIsolation,
  linuxNamespaces,
} from '../../src/commands/index.ts';
import { searchTextTool } from '../../src/files/index.ts';
import { requireProgram } from '../../src/commands/isolation/system-folders.ts';
import { createWorkspace } from '../../src/workspace/index.ts';
import { emptyFolder } from '../commands/support.ts';

describe.skipIf(process.platform === 'win32')('programs that a repository brings along', () => {
  it('are run neither by a search nor to find out how to isolate', async () => {
    verifies('toolbox.isolation.programs');
    const root = await emptyFolder();
    const outside = await emptyFolder();
    const bin = join(root, 'node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(bin, join(outside, 'link'));
    for (const name of ['rg', 'bwrap', 'unshare', 'docker', 'sh', 'mount', 'setpriv', 'true'])
      writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >>'${join(outside, 'ran')}'\n`, { mode: 0o755 });
    // As `npm run` sets it, and by another name.
    vi.stubEnv('PATH', [bin, join(outside, 'link'), process.env['PATH']].join(delimiter));
    onTestFinished(() => void vi.unstubAllEnvs());
    writeFileSync(join(root, 'a.txt'), 'needle');
    const workspace = await createWorkspace({ root, write: ['**'] });
    const registry = createRegistry([searchTextTool(workspace)]);
    const found = await callTool(
      registry,
      { type: 'tool-call', id: '1', name: 'search_text', arguments: '{"query":"needle"}' },
      { signal: new AbortController().signal },
    );
    expect(found.forLLM).toContain('needle');
    await detectIsolation();
    const { tools, close } = commandTools({ workspace, isolation: 'none' });
    onTestFinished(close);
    await createRegistry(tools).execute('run_command', { command: ['true'] });
    // With what this system has, or with the reason why not: never with what lies in the repository.
    for (const isolation of [bubblewrap(), linuxNamespaces(), containerIsolation({ image: 'x' })] as const) {
      const isolated = commandTools({ workspace, isolation });
      onTestFinished(isolated.close);
      await createRegistry(isolated.tools).execute('run_command', { command: ['true'] });
    }
    expect(existsSync(join(outside, 'ran'))).toBe(false);
  });

  it('do not stand in for a program that the system lacks: it is named, with what to do', async () => {
    verifies('toolbox.isolation.programs');
    const root = await emptyFolder();
    writeFileSync(join(root, 'lacking'), '#!/bin/sh\n', { mode: 0o755 });
    vi.stubEnv('PATH', root);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => requireProgram('lacking', 'The isolation', root)).toThrow(
      expect.objectContaining({
        code: 'TOOL_UNAVAILABLE',
        message: 'The isolation needs the program "lacking", which this system does not have.',
        hint: expect.stringContaining('Install "lacking"'),
      }) as Error,
    );
  });

  it('are not taken for ripgrep by a relative path', async () => {
    const workspace = await createWorkspace({ root: await emptyFolder() });
    expect(() => searchTextTool(workspace, { ripgrep: 'rg' })).toThrow('an absolute path');
  });
});
