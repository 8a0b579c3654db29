import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { bubblewrap, containerIsolation, linuxNamespaces, sandboxExec } from '../../src/commands/index.ts';
import { homeFor } from '../../src/commands/isolation/limits.ts';
import { commands } from './support.ts';

const ISOLATIONS = [bubblewrap(), containerIsolation({ image: 'node:26' }), linuxNamespaces(), sandboxExec()];
const LINKS = ['real', '../real', 'a/b/real', '.', 'missing'];
const refused: unknown = expect.stringContaining('The isolation cannot protect the repository of ');

describe.each(ISOLATIONS)('where .git leads to other files that a command could replace, $name', (isolation) => {
  it.each(LINKS)('runs nothing: a link to %s', async (target) => {
    verifies('toolbox.isolation');
    const { run, folder } = await commands({ isolation });
    mkdirSync(join(folder, 'real'));
    symlinkSync(target, join(folder, '.git'));
    for (const rest of [{}, { background: true }])
      expect(await run(['sh', '-c', 'rm .git; mkdir .git; echo evil > .git/config'], rest)).toMatchObject({
        isError: true,
        forLLM: refused,
      });
  });

  it.each(['./a/real', '..real', '..a/real'])(
    'runs nothing: a file that leads into the folder, to %s',
    async (path) => {
      verifies('toolbox.isolation');
      const { run, folder } = await commands({ isolation });
      writeFileSync(join(folder, '.git'), `gitdir: ${path}\n`);
      expect(await run(['true'])).toMatchObject({ isError: true, forLLM: refused });
    },
  );

  it('runs nothing: a .git that is no repository, beside which a command could make one', async () => {
    verifies('toolbox.isolation');
    const { run, folder } = await commands({ isolation });
    mkdirSync(join(folder, '.git/hooks'), { recursive: true });
    expect(await run(['sh', '-c', 'echo "ref: refs/heads/a" > HEAD'])).toMatchObject({
      isError: true,
      forLLM: refused,
    });
  });

  it('runs nothing: a folder that is a bare repository, or could become one', async () => {
    verifies('toolbox.isolation');
    const { run, folder } = await commands({ isolation });
    writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
    for (const rest of [{}, { background: true }])
      expect(await run(['sh', '-c', 'mkdir objects refs; echo evil > config'], rest)).toMatchObject({
        isError: true,
        forLLM: refused,
      });
  });

  it('runs nothing: a repository whose config and hooks are in another folder', async () => {
    verifies('toolbox.isolation');
    const { run, folder } = await commands({ isolation });
    mkdirSync(join(folder, '.git'));
    writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(folder, '.git/commondir'), '../shared\n');
    expect(await run(['true'])).toMatchObject({ isError: true, forLLM: refused });
  });
});

it('a command that may change the repository is isolated also where .git is a link', async () => {
  const { folder } = await commands();
  symlinkSync('real', join(folder, '.git'));
  const request = { command: ['true'], folder, cwd: folder, variables: {}, network: false, readable: [], hidden: [] };
  expect(sandboxExec().wrap({ ...request, gitWritable: true }).program).toBe('/usr/bin/sandbox-exec');
});

it('the file of a worktree, which leads outside, is protected as it is', async () => {
  const { folder } = await commands();
  const git = join(folder, '.git');
  writeFileSync(git, 'gitdir: /srv/main/.git/worktrees/a\n');
  const request = { command: ['true'], folder, cwd: folder, variables: {}, network: false, readable: [], hidden: [] };
  expect(sandboxExec().wrap({ ...request, gitWritable: false }).args[1]).toContain(
    `(deny file-write* (subpath "${git}"))`,
  );
});

it('the home folder of a command is none of the workspace, whose startup files a login shell would run', () => {
  verifies('toolbox.isolation');
  expect(['/tmp', '/tmp/a', '/srv'].map((folder) => homeFor({ folder }))).toEqual(['/nonexistent', '/tmp', '/tmp']);
});
