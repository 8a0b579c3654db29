import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import {
  bubblewrap,
  containerIsolation,
  type Isolation,
  type IsolationRequest,
  linuxNamespaces,
  sandboxExec,
} from '../../src/commands/index.ts';
import { workspaceMounts } from '../../src/commands/isolation/mounts.ts';
import { commands } from './support.ts';

const ISOLATIONS = [bubblewrap(), containerIsolation({ image: 'node:26' }), linuxNamespaces(), sandboxExec()];

const requestFor = (folder: string): IsolationRequest => ({
  command: ['true'],
  folder,
  cwd: folder,
  variables: {},
  network: false,
  readable: [],
  hidden: [],
  gitWritable: false,
});
/** What is started for a command; undefined where the program of the isolation is not on this system. */
function argsOf(isolation: Isolation, folder: string): string | undefined {
  try {
    return JSON.stringify(isolation.wrap(requestFor(folder)).args);
  } catch (error) {
    if (KernelError.is(error, 'TOOL_UNAVAILABLE') && error.message.includes('needs the program')) return undefined;
    throw error;
  }
}
/** What of the workspace is not as writable as the rest. */
const heldBy = (folder: string) =>
  workspaceMounts(requestFor(folder)).flatMap(({ how, path }) =>
    how === 'write' ? [] : [[how, path.slice(folder.length + 1)]],
  );
async function repositoryWith(config: Readonly<Record<string, string>>) {
  const { folder } = await commands();
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '-q');
  for (const [key, value] of Object.entries(config)) git('config', key, value);
  return { folder, git };
}

describe.each(ISOLATIONS)('what the config of a repository names in the workspace, $name', (isolation) => {
  it('is read-only if it exists, and the folders above it keep their names', async () => {
    verifies('toolbox.isolation.repository');
    const { folder, git } = await repositoryWith({
      'core.hooksPath': '.tools/hooks',
      'include.path': '../.tools/gitconfig',
      'includeIf.onbranch:x.path': '../.tools/missing',
    });
    mkdirSync(join(folder, '.tools/hooks'), { recursive: true });
    writeFileSync(join(folder, '.tools/gitconfig'), `[core]\n\thooksPath = more\n`);
    mkdirSync(join(folder, 'more'));
    expect(heldBy(folder)).toEqual([
      ['pinned', '.tools'],
      ['sealed', '.git'],
      ['sealed', '.tools/hooks'],
      ['sealed', '.tools/gitconfig'],
      ['sealed', 'more'],
    ]);
    git('config', 'core.hooksPath', '.git/hooks');
    expect(heldBy(folder)).not.toContainEqual(['sealed', '.git/hooks']);
    const args = argsOf(isolation, folder);
    for (const path of ['.git', '.tools/gitconfig', 'more'].map((each) => join(folder, each)))
      expect(args ?? path).toContain(path);
  });

  it('runs nothing where a link leads there', async () => {
    verifies('toolbox.isolation.repository');
    const { folder } = await repositoryWith({ 'core.hooksPath': 'link/hooks' });
    mkdirSync(join(folder, 'real/hooks'), { recursive: true });
    symlinkSync('real', join(folder, 'link'));
    expect(() => isolation.wrap(requestFor(folder))).toThrow(`"${join(folder, 'link')}" is a link`);
  });
});
