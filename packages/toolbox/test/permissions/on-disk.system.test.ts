import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '@kernel/internal';
import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { codeAgent } from '../../src/agents/index.ts';
import { permissions, type PermissionRule } from '../../src/permissions/index.ts';
import { createWorkspace } from '../../src/workspace/index.ts';
import { systemFeature } from '../../../../test/setup/system-feature.ts';
import { folderWith } from '../workspace/folders.ts';

const policyFor = (root: string, ...rules: readonly PermissionRule[]) => {
  const policy = permissions(rules, { root });
  const decide = (command: readonly string[], cwd = '.') => policy.decide('run_command', { command, cwd });
  return { decide, verdictOf: (command: readonly string[], cwd?: string) => decide(command, cwd).verdict };
};
const shell = (script: string): string[] => ['sh', '-c', script];

/** The files by which Git takes a folder for a repository, with a program in its config. */
const BARE = {
  'vendor/x.git/HEAD': 'ref: refs/heads/main\n',
  'vendor/x.git/config':
    '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "echo owned > PWNED;false"\n',
  'vendor/x.git/refs/keep': '',
  'vendor/x.git/objects/keep': '',
  'vendor/x.git/sub/a': '',
};

describe('Git below the workspace', () => {
  it('is asked about where the files bring a repository along, with the rules of `codeAgent` and with a wildcard', async () => {
    verifies('toolbox.permissions.repositories');
    const root = folderWith({ '.git/HEAD': '', 'src/a': '', ...BARE });
    const workspace = await createWorkspace({ root, write: ['**'] });
    for (const mode of ['plan', 'act'] as const) {
      const { rules, close } = await codeAgent({ workspace, mode });
      const { decide, verdictOf } = policyFor(
        root,
        ...rules,
        { allow: 'run_command(git *)' },
        { allow: 'run_command(cd *)' },
      );
      for (const command of ['status', 'diff', 'blame a', 'ls-files -m', 'grep x', 'log']) {
        const words = ['git', ...command.split(' ')];
        expect([command, verdictOf(words), verdictOf(words, 'src')]).toEqual([command, 'allow', 'allow']);
        for (const cwd of ['vendor/x.git', 'vendor/x.git/sub', join(root, 'vendor/x.git')])
          expect([command, cwd, verdictOf(words, cwd)]).toEqual([command, cwd, 'ask']);
        expect(verdictOf(shell(`cd vendor/x.git && git ${command}`))).toBe('ask');
      }
      expect(decide(['git', 'status'], 'vendor/x.git')).toMatchObject({
        reason: expect.stringContaining('run programs that its config names'),
        suggestion: { allow: 'run_command(cd vendor/x.git && git status)' },
      });
      await close();
    }
  });

  it('is asked about where a bare repository is the workspace itself, unless a rule names the whole command', () => {
    const root = join(folderWith(BARE), 'vendor/x.git');
    expect(policyFor(root, { allow: 'run_command(git status|diff *)' }).verdictOf(['git', 'status'])).toBe('ask');
    expect(policyFor(root, { allow: 'run_command(git status)' }).verdictOf(['git', 'status'])).toBe('allow');
  });

  it('uses the repository of the workspace in its submodules, and no other one by a file `.git` or a folder of its own', () => {
    const root = folderWith({
      '.git/HEAD': '',
      '.git/modules/sub/HEAD': '',
      'sub/.git': 'gitdir: ../.git/modules/sub\n',
      'away/.git': 'gitdir: ../elsewhere\n',
      'elsewhere/HEAD': '',
      'gone/.git': 'gitdir: ../missing\n',
      'nested/.git/HEAD': '',
      'nested/deep/a': '',
    });
    const { verdictOf } = policyFor(root, { allow: 'run_command(git status *)' });
    expect(verdictOf(['git', 'status'], 'sub')).toBe('allow');
    for (const cwd of ['away', 'gone', 'nested', 'nested/deep', 'missing'])
      expect([cwd, verdictOf(['git', 'status'], cwd)]).toEqual([cwd, 'ask']);
    // A workspace may be a part of a repository.
    expect(
      policyFor(join(root, 'nested/deep'), { allow: 'run_command(git status *)' }).verdictOf(['git', 'status']),
    ).toBe('allow');
  });

  it('without a root, is known only at the top', () => {
    const policy = permissions([{ allow: 'run_command(git status *)' }]);
    const verdictOf = (cwd: string) => policy.decide('run_command', { command: ['git', 'status'], cwd }).verdict;
    expect([verdictOf('.'), verdictOf('./'), verdictOf('sub')]).toEqual(['allow', 'allow', 'ask']);
  });

  const git = findProgram('git');
  it('is what the attack needs: Git does run such a program', systemFeature('git', git !== undefined).options, () => {
    const folder = join(folderWith(BARE), 'vendor/x.git');
    execFileSync(git ?? '', ['status'], { cwd: folder, stdio: 'ignore' });
    expect(existsSync(join(folder, 'PWNED'))).toBe(true);
  });
});

describe('links of the workspace', () => {
  const files = () => {
    const outside = folderWith({ 'out/secret.txt': 'SECRET', 'out/sub/x': '' });
    const root = folderWith({ 'a.txt': '', 'src/b.txt': '', 'node_modules/p/c.txt': '' });
    mkdirSync(join(root, 'mixed'));
    for (const [target, path] of [
      ['out/secret.txt', 'notes.txt'],
      ['out', 'docs'],
      ['out/secret.txt', 'mixed/link.txt'],
      ['out/sub', 'src/up'],
      ['out/not-yet', 'dangling'],
    ] as const)
      symlinkSync(join(outside, target), join(root, path));
    symlinkSync('a.txt', join(root, 'inner'));
    linkSync(join(outside, 'out/secret.txt'), join(root, 'hard.txt'));
    linkSync(join(outside, 'out/secret.txt'), join(root, 'node_modules/p/hard.txt'));
    return root;
  };

  it('that lead out of it are covered by no wildcard, as a word, behind an option, or for a glob of the shell', () => {
    verifies('toolbox.permissions.links');
    const { verdictOf } = policyFor(
      files(),
      { allow: 'run_command(cat|grep|find|ls|cd|head|tail|sort|wc *)' },
      { allow: 'run_command(./tool --data=*)' },
      { allow: 'write_file(**)' },
    );
    for (const command of [
      ['cat', 'a.txt', 'src/b.txt', 'inner', 'missing/x'],
      ['cat', './src/../a.txt'],
      ['grep', '-rn', 'docs or (x)', 'src'],
      ['grep', '-fa.txt', '--file=inner', 'x'],
      ['find', '.', '-name', '*.txt'],
      ['ls', '-la'],
      ['./tool', '--data=src/b.txt'],
      ['./tool', '--data=new/x'],
      shell('cat src/*.txt'.replace('src', 'node_modules/p')),
      shell('cd src && cat b.txt'),
      shell('cat a.txt > src/new'),
      shell('cat < inner'),
    ])
      expect([command, verdictOf(command)]).toEqual([command, 'allow']);
    for (const command of [
      ['cat', 'notes.txt'],
      ['cat', './src/../notes.txt'],
      ['cat', 'docs/secret.txt'],
      // The folder around what the link leads to.
      ['cat', 'docs/../secret.txt'],
      ['cat', 'src/up/../secret.txt'],
      ['grep', '-r', 'SECRET', 'docs/'],
      ['grep', '--file=notes.txt', 'x'],
      ['grep', '-rfnotes.txt', 'x'],
      ['find', 'docs/', '-name', '*'],
      ['ls', 'docs/'],
      ['ls', 'docs'],
      ['cat', 'hard.txt'],
      ['sort', 'notes.txt'],
      ['./tool', '--data=notes.txt'],
      ['./tool', '--data=docs/new'],
      ['./tool', '--data=dangling'],
      // Programs that follow every link.
      ['grep', '-Rn', 'SECRET', '.'],
      ['grep', '--dereference-recursive', 'SECRET', '.'],
      ['ls', '-LR', '.'],
      shell('cat *'),
      shell('cat mixed/*.txt'),
      shell('cat */secret.txt'),
      shell('cat m?xed/l*'),
      shell('cd docs && cat secret.txt'),
      shell('cd mixed && cat link.txt'),
      shell('cd src; cat ../notes.txt'),
      shell('cat < notes.txt'),
      shell('cat a.txt > docs/new'),
      shell('cat a.txt > dangling'),
    ])
      expect([command, verdictOf(command)]).toEqual([command, 'ask']);
    expect(verdictOf(['cat', 'secret.txt'], 'docs')).toBe('ask');
  });

  it('that lead out are covered where a rule names them', () => {
    const { decide, verdictOf } = policyFor(
      files(),
      { allow: 'run_command(cat *)' },
      { allow: 'run_command(cat notes.txt)' },
    );
    expect(verdictOf(['cat', 'notes.txt'])).toBe('allow');
    expect(decide(['cat', 'docs/secret.txt']).suggestion).toEqual({ allow: 'run_command(cat docs/secret.txt)' });
  });

  it('more words and entries than are looked at are asked about', () => {
    const root = folderWith();
    mkdirSync(join(root, 'many'));
    for (let index = 0; index < 5001; index += 1) writeFileSync(join(root, 'many', String(index)), '');
    const { verdictOf } = policyFor(root, { allow: 'run_command(cat *)' });
    expect([verdictOf(shell('cat many/*')), verdictOf(['cat', 'many/1'])]).toEqual(['ask', 'allow']);
    expect([
      verdictOf(['cat', ...Array.from({ length: 900 }, () => 'a')]),
      verdictOf(shell(`cat ${'a '.repeat(6000)}`)),
    ]).toEqual(['allow', 'ask']);
    for (const script of [
      'a '.repeat(45_000),
      '*/'.repeat(45_000),
      `${'a/'.repeat(2000)} `.repeat(20),
      'many/*/* '.repeat(9000),
    ])
      expect(verdictOf(shell(`cd many; cat ${script}`))).toBe('ask');
  });
});
