import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
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

  it('is read-only also below the top of the repository, and where a condition does not hold now', async () => {
    verifies('toolbox.isolation.repository');
    const { folder } = await repositoryWith({
      'core.hooksPath': 'app/hooks',
      'includeIf.onbranch:other.path': '../app/other.config',
    });
    const app = join(folder, 'app');
    mkdirSync(join(app, 'hooks'), { recursive: true });
    writeFileSync(join(app, 'other.config'), '[include]\n\tpath = more.config\n');
    writeFileSync(join(app, 'more.config'), '');
    expect(heldBy(app)).toEqual([
      ['sealed', 'hooks'],
      ['sealed', 'other.config'],
      ['sealed', 'more.config'],
    ]);
  });

  it.skipIf(process.platform === 'win32')('is read-only where the config of the user names hooks', async () => {
    verifies('toolbox.isolation.repository');
    const { folder } = await repositoryWith({});
    mkdirSync(join(folder, '.githooks'));
    const { folder: home } = await commands();
    writeFileSync(join(home, '.gitconfig'), '[core]\n\thooksPath = .githooks\n');
    vi.stubEnv('HOME', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(heldBy(folder)).toContainEqual(['sealed', '.githooks']);
  });

  it.each(['core.hooksPath', 'include.path'])('runs nothing where %s names a link', async (key) => {
    verifies('toolbox.isolation.repository');
    const { folder, git } = await repositoryWith({});
    writeFileSync(join(folder, 'real'), '');
    symlinkSync('real', join(folder, 'link'));
    git('config', key, join(folder, 'link'));
    expect(() => isolation.wrap(requestFor(folder))).toThrow(`"${join(folder, 'link')}" is a link`);
  });

  it('runs nothing where a link leads there', async () => {
    verifies('toolbox.isolation.repository');
    const { folder } = await repositoryWith({ 'core.hooksPath': 'link/hooks' });
    mkdirSync(join(folder, 'real/hooks'), { recursive: true });
    symlinkSync('real', join(folder, 'link'));
    expect(() => isolation.wrap(requestFor(folder))).toThrow(`"${join(folder, 'link')}" is a link`);
  });
});
