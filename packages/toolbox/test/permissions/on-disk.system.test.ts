import { callTool } from '@kernel/protocol';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findProgram } from '@kernel/internal';
import { verifies } from '@kernel/testing';
import { createRegistry } from '@kernel/tools';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { codeAgent } from '../../src/agents/index.ts';
import { commandTools } from '../../src/commands/index.ts';
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

const git = findProgram('git') ?? '';
const withGit = systemFeature('git', git !== '').options;

/** Makes a repository with a committed file and a config. */
const repositoryAt = (folder: string, config = ''): string => {
  const run = (...args: string[]) => execFileSync(git, args, { cwd: folder, stdio: 'ignore' });
  mkdirSync(folder, { recursive: true });
  run('init', '-q');
  writeFileSync(join(folder, 'a.txt'), 'one');
  writeFileSync(join(folder, '.gitattributes'), '*.txt filter=f diff=d\n');
  run('add', '-A');
  run('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x');
  appendFileSync(join(folder, '.git/config'), config);
  writeFileSync(join(folder, 'a.txt'), 'other');
  return folder;
};

/** Names each program that runs by a file of its name. */
const program = (folder: string, name: string): string => `touch ${join(folder, `RAN-${name}`)}; cat`;
const RAN = /^RAN-/;

/** Settings by which a repository makes Git run a program, or look elsewhere, when it only reads. */
const SETTINGS: readonly (readonly [key: string, config: (command: string) => string])[] = [
  ['filter.f.clean', (command) => `[filter "f"]\n\tclean = "${command}"\n`],
  ['filter.f.process', (command) => `[filter "f"]\n\tprocess = "${command}"\n`],
  ['lfs.extension.e.clean', (command) => `[lfs "extension.e"]\n\tclean = "${command}"\n`],
  ['diff.d.textconv', (command) => `[diff "d"]\n\ttextconv = "${command}"\n`],
  ['diff.d.command', (command) => `[diff "d"]\n\tcommand = "${command}"\n`],
  ['diff.external', (command) => `[diff]\n\texternal = "${command}"\n`],
  // Read when Git runs: it is not there when the rules decide.
  ['include.path', () => `[include]\n\tpath = /dev/fd/9\n`],
  ['includeif.onbranch:master.path', () => `[includeIf "onbranch:master"]\n\tpath = ~/later\n`],
  ['gpg.program', (command) => `[gpg]\n\tprogram = "${command}"\n[log]\n\tshowSignature = true\n`],
  ['merge.m.driver', (command) => `[merge "m"]\n\tdriver = "${command}"\n`],
  ['format.pretty', () => '[format]\n\tpretty = "%GG"\n'],
  ['core.attributesfile', () => '[core]\n\tattributesFile = .env\n'],
  ['core.worktree', () => '[core]\n\tworktree = /etc\n'],
];
/** Settings that Git is told to leave aside. */
const SET_ASIDE: readonly (readonly [key: string, config: (command: string) => string])[] = [
  ['core.fsmonitor', (command) => `[core]\n\tfsmonitor = "${command}"\n`],
  ['core.hooksPath', () => '[core]\n\thooksPath = hooks\n'],
  ['core.pager', (command) => `[core]\n\tpager = "${command}"\n[pager]\n\tlog = "${command}"\n`],
];
const READING = [
  'status',
  'log',
  'log --stat',
  'describe --always --dirty',
  'ls-files -m',
  'diff --stat',
  'rev-parse HEAD',
];

/** Runs commands of Git without isolation and without a question. */
const runner = async (root: string) => {
  const commands = commandTools({ workspace: await createWorkspace({ root }), isolation: 'none' });
  const registry = createRegistry(commands.tools);
  const run = async (command: string, cwd = '.') => {
    const input = JSON.stringify({ command: ['git', ...command.split(' ')], cwd });
    const call = { type: 'tool-call', id: '1', name: 'run_command', arguments: input } as const;
    return callTool(registry, call, { signal: new AbortController().signal });
  };
  return { run, close: () => commands.close() };
};

describe('Git in a repository that names programs', () => {
  it.each(SETTINGS)('is asked about, with what %s names', withGit, async (key, config) => {
    verifies('toolbox.permissions.repositories');
    const root = folderWith();
    repositoryAt(root, config(program(root, key)));
    const { rules, close } = await codeAgent({ workspace: await createWorkspace({ root }), mode: 'plan' });
    for (const command of READING) {
      const { reason, suggestion, verdict } = policyFor(root, ...rules).decide(['git', ...command.split(' ')]);
      expect([command, verdict, suggestion]).toEqual([command, 'ask', undefined]);
      expect(reason).toContain(`"${key} = `);
    }
    // Not even a rule that names the command, since it doesn't name the program.
    expect(policyFor(root, { allow: 'run_command(git status)' }).verdictOf(['git', 'status'])).toBe('ask');
    expect(policyFor(root, { allow: 'run_command' }).verdictOf(['git', 'status'])).toBe('allow');
    await close();
  });

  it('is asked about where its own files are links, or those of another repository', withGit, async () => {
    verifies('toolbox.permissions.repositories');
    const root = folderWith({ '.env': 'SECRET=1' });
    const other = repositoryAt(folderWith());
    const { rules, close } = await codeAgent({ workspace: await createWorkspace({ root }), mode: 'plan' });
    const { decide, verdictOf } = policyFor(root, ...rules, { allow: 'run_command(git blame *)' });
    const link = (name: string, path: string, target: string): void => {
      const folder = repositoryAt(join(root, name));
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      rmSync(join(folder, path), { recursive: true, force: true });
      symlinkSync(target, join(folder, path));
    };
    link('packed', '.git/packed-refs', '../../.env');
    link('rebase', '.git/rebase-merge/done', '../../../.env');
    link('attributes', '.git/info/attributes', '../../../.env');
    link('objects', '.git/objects', join(other, '.git/objects'));
    link('whole', '.git', join(other, '.git'));
    link('hooks', '.git/hooks', '../githooks');
    mkdirSync(join(root, 'file'));
    writeFileSync(join(root, 'file/.git'), `gitdir: ${other}/.git\n`);
    writeFileSync(join(repositoryAt(join(root, 'common')), '.git/commondir'), `${other}/.git\n`);
    const names = ['packed', 'rebase', 'attributes', 'objects', 'whole', 'file', 'common', 'hooks'];
    const verdicts = names.map((cwd) => verdictOf(['git', 'status'], cwd));
    expect(verdicts).toEqual(['ask', 'ask', 'ask', 'ask', 'ask', 'ask', 'ask', 'allow']);
    expect(decide(['git', 'log'], 'packed').reason).toContain('.git/packed-refs');
    // A file of revisions matters to one command.
    repositoryAt(join(root, 'blame'), '[blame]\n\tignoreRevsFile = ../.env\n');
    const commands = [
      ['git', 'status'],
      ['git', 'blame', 'a.txt'],
    ];
    expect(commands.map((command) => verdictOf(command, 'blame'))).toEqual(['allow', 'ask']);
    // A linked worktree is known where it leads.
    const tree = join(root, 'tree');
    execFileSync(git, ['worktree', 'add', '-q', tree], { cwd: other, stdio: 'ignore' });
    expect(policyFor(tree, ...rules).verdictOf(['git', 'status'])).toBe('allow');
    await close();
  });

  it('is asked about by the Git that will run, wherever on the PATH it is', async () => {
    verifies('toolbox.permissions.repositories');
    const folder = folderWith({ git: `#!/bin/sh\nprintf 'local\\0file:.git/config\\0filter.own.clean\\nx\\0'\n` });
    chmodSync(join(folder, 'git'), 0o755);
    vi.stubEnv('PATH', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { decide } = policyFor(folderWith(), { allow: 'run_command(git status)' });
    expect(decide(['git', 'status']).reason).toContain('"filter.own.clean = x"');
  });

  it('is asked about wherever the repository is below the workspace', withGit, () => {
    const root = repositoryAt(folderWith());
    const inner = repositoryAt(join(root, 'vendor/x'), '[filter "f"]\n\tclean = "id"\n');
    for (const folder of ['vendor/x/deep', 'tree']) mkdirSync(join(root, folder));
    writeFileSync(join(root, 'tree/.git'), `gitdir: ${inner}/.git\n`);
    const { verdictOf } = policyFor(root, { allow: 'run_command(git status *)' }, { allow: 'run_command(cd *)' });
    const verdicts = ['.', 'vendor/x', 'vendor/x/deep', 'tree'].map((cwd) => verdictOf(['git', 'status'], cwd));
    expect(verdicts).toEqual(['allow', 'ask', 'ask', 'ask']);
    expect(verdictOf(shell('cd vendor/x && git status'))).toBe('ask');
  });

  it(
    'is not asked about for a repository without a program, or for what a person has set for all of them',
    withGit,
    () => {
      const root = repositoryAt(folderWith());
      repositoryAt(join(root, 'nested'));
      const { verdictOf } = policyFor(root, { allow: 'run_command(git status|log *)' });
      expect([verdictOf(['git', 'status']), verdictOf(['git', 'log', '-1'], 'nested')]).toEqual(['allow', 'allow']);
      expect(verdictOf(shell('git status && git log'))).toBe('allow');
    },
  );

  it('is asked about where files on disk, in the index or in a commit name submodules', withGit, () => {
    const module = '[submodule "s"]\n\tpath = s\n\turl = ./s\n\tignore = none\n';
    const root = repositoryAt(folderWith());
    const run = (...args: string[]) => execFileSync(git, args, { cwd: root, stdio: 'ignore' });
    const { verdictOf } = policyFor(root, { allow: 'run_command(git status|log *)' });
    writeFileSync(join(root, '.gitmodules'), module);
    const states: unknown[] = [verdictOf(['git', 'status'])];
    run('add', '.gitmodules');
    rmSync(join(root, '.gitmodules'));
    states.push(verdictOf(['git', 'status']));
    run('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'y');
    run('rm', '-q', '--cached', '.gitmodules');
    states.push(verdictOf(['git', 'status']), verdictOf(['git', 'log']));
    expect(states).toEqual(['ask', 'ask', 'ask', 'allow']);
  });

  it('without a root, is known only at the top', () => {
    const policy = permissions([{ allow: 'run_command(git status *)' }]);
    const verdictOf = (cwd: string) => policy.decide('run_command', { command: ['git', 'status'], cwd }).verdict;
    expect([verdictOf('.'), verdictOf('./'), verdictOf('sub')]).toEqual(['allow', 'allow', 'ask']);
  });

  it('prints no content of files unasked in a mode that only reads', withGit, async () => {
    verifies('toolbox.permissions.repositories');
    const root = repositoryAt(folderWith());
    const { rules, close } = await codeAgent({ workspace: await createWorkspace({ root }), mode: 'plan' });
    const { verdictOf } = policyFor(root, ...rules);
    for (const command of [
      'show HEAD:.env',
      'show',
      'diff',
      'diff a.txt .env',
      'diff --stat -p',
      'diff --no-index a b',
      'log -p',
      'log -1p',
      'log -u',
      'log -L1,2:a.txt',
      'log -Sx',
      'log -Gx',
      'log --patch',
      'log --cc',
      'log -c',
      'log -m',
      'log --stat -U3',
      'log --word-diff',
      'status -v',
      'status -vv',
      'blame a.txt',
      'grep x',
      'grep -n SECRET',
      'cat-file -p HEAD:.env',
      'archive HEAD',
      'log -- .env',
      'format-patch -1 --stdout',
      'stash show -p',
      'annotate a.txt',
      'difftool',
      'range-diff a b c',
      'bundle create - HEAD',
    ])
      expect([command, verdictOf(['git', ...command.split(' ')])]).toEqual([command, 'ask']);
    await close();
  });

  it('runs nothing that a repository names: told so, Git leaves it aside', withGit, async () => {
    verifies('toolbox.permissions.repositories');
    const root = folderWith();
    const { run, close } = await runner(root);
    repositoryAt(root, SET_ASIDE.map(([key, config]) => config(program(root, key))).join(''));
    mkdirSync(join(root, 'hooks'));
    writeFileSync(join(root, 'hooks/post-index-change'), `#!/bin/sh\n${program(root, 'hook')}\n`, { mode: 0o755 });
    for (const command of READING) await run(command);
    expect(readdirSync(root).filter((name) => RAN.test(name))).toEqual([]);
    // This is what they would have run.
    execFileSync(git, ['status'], { cwd: root, stdio: 'ignore' });
    expect(readdirSync(root).filter((name) => RAN.test(name))).not.toEqual([]);
    await close();
  });

  it.each(['a file', 'a dangling link', 'a link'])(
    'takes no folder for a repository whose HEAD is %s',
    withGit,
    async (kind) => {
      const root = repositoryAt(folderWith());
      const bare = join(root, 'docs');
      for (const folder of ['objects', 'refs/heads']) mkdirSync(join(bare, folder), { recursive: true });
      if (kind === 'a file') writeFileSync(join(bare, 'HEAD'), 'ref: refs/heads/main\n');
      else symlinkSync(kind === 'a link' ? '../.git/HEAD' : 'refs/heads/main', join(bare, 'HEAD'));
      writeFileSync(
        join(bare, 'config'),
        `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "${program(root, 'monitor')}"\n`,
      );
      const { run, close } = await runner(root);
      for (const command of READING) await run(command, 'docs');
      expect(readdirSync(root).filter((name) => RAN.test(name))).toEqual([]);
      await close();
    },
  );
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

  it('no word or wildcard covers what may hold credentials, as it is covered for no tool that reads files', () => {
    verifies('toolbox.permissions.wildcards');
    const root = folderWith({
      'a.txt': '',
      '.env': '',
      'src/b.txt': '',
      'src/.env': '',
      'keys/server.pem': '',
      'keys/c.txt': '',
      'home/.ssh/known': '',
      'plain/d.txt': '',
    });
    for (const name of ['link', 'docs/link']) {
      mkdirSync(join(root, 'docs'), { recursive: true });
      symlinkSync(join(root, '.env'), join(root, name));
    }
    const { verdictOf } = policyFor(root, { allow: 'run_command(cat|grep *)' });
    for (const command of [
      ['cat', '.env'],
      ['cat', 'src/.env'],
      ['cat', './keys/server.pem'],
      shell('cat .e*'),
      shell('cat keys/*'),
      shell('cat */*'),
      ['grep', '--file=.env', 'x'],
      ['cat', 'link'],
      shell('cat docs/*'),
      shell('cat < .env'),
      shell('cat < docs/link'),
      ['grep', '-r', 'x'],
      ['grep', '-r', 'x', '.'],
      ['grep', '-rn', 'x', 'a.txt', 'home'],
      ['grep', '-r', '-A', '3', 'keys'],
      ['grep', '-d', 'recurse', 'x', 'keys'],
    ])
      expect([command, verdictOf(command)]).toEqual([command, 'ask']);
    expect(verdictOf(['cat', 'known'], 'home/.ssh')).toBe('ask');
    for (const command of [
      ['cat', 'a.txt'],
      shell('cat src/*'),
      ['cat', '.env.example'],
      ['cat', 'keys/c.txt'],
      shell('cat < a.txt'),
      ['grep', '-rn', 'x', 'plain'],
    ])
      expect([command, verdictOf(command)]).toEqual([command, 'allow']);
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

describe('a folder by another name', () => {
  const root = (): string => {
    const folder = folderWith({ 'real/f': 'x', 'apps/own/f': 'x' });
    symlinkSync('real', join(folder, 'link'));
    symlinkSync('../real', join(folder, 'apps/other'));
    return folder;
  };

  it('is denied by what it is a link to, and allowed by both names alone', () => {
    verifies('toolbox.permissions.folders');
    const { verdictOf } = policyFor(
      root(),
      { allow: 'run_command(cd apps/* && npm test)' },
      { allow: 'run_command(npm publish)' },
      { deny: 'run_command(cd real && npm *)' },
    );
    expect(verdictOf(['npm', 'test'], 'link')).toBe('deny');
    expect(verdictOf(shell('cd link && npm test'))).toBe('deny');
    expect(verdictOf(['npm', 'test'], 'apps/own')).toBe('allow');
    const { verdictOf: withoutDeny } = policyFor(root(), { allow: 'run_command(cd apps/* && npm test)' });
    expect(withoutDeny(['npm', 'test'], 'apps/other')).toBe('ask');
    expect(withoutDeny(['npm', 'test'], 'apps/own')).toBe('allow');
  });

  it('is not the top because a backslash in its name could be a slash', () => {
    verifies('toolbox.permissions.folders');
    const { verdictOf } = policyFor(root(), { allow: 'run_command(npm test)' });
    expect(verdictOf(['npm', 'test'])).toBe('allow');
    expect(verdictOf(['npm', 'test'], String.raw`real\..`)).toBe(process.platform === 'win32' ? 'allow' : 'ask');
  });

  it('is denied by a path that leaves the root and comes back, and asked about by one of a process', () => {
    verifies('toolbox.permissions.links');
    const folder = root();
    const again = `../${basename(folder)}/real/f`;
    for (const pattern of ['run_command(real/**)', '*(real/**)', 'run_command(cat real/*)']) {
      const { verdictOf } = policyFor(folder, { allow: 'run_command' }, { deny: pattern });
      expect(verdictOf(['cat', again])).toBe('deny');
      expect(verdictOf(['cat', `../${again}`], 'apps')).toBe('deny');
      for (const path of [
        '/proc/self/cwd/real/f',
        '/proc/1/root/a',
        '//proc/self/task/1/fd/3/f',
        '/dev//fd/3/f',
        '../../proc/1/cwd',
      ])
        expect(verdictOf(['cat', path])).toBe('ask');
      expect(verdictOf(['cat', '../other/real/f', '/proc/cpuinfo'])).toBe('allow');
    }
  });
});

it('Git is asked about where a command that changes something keeps its settings from one that reads', withGit, () => {
  verifies('toolbox.permissions.repositories');
  const root = repositoryAt(folderWith());
  repositoryAt(join(root, 'evil'), '[core]\n\tfsmonitor = ./h\n');
  const rules = ['git status *', 'git fetch', 'cd *'].map((each) => ({ allow: `run_command(${each})` }));
  const { verdictOf } = policyFor(root, ...rules);
  expect(verdictOf(shell('cd evil && git status'))).toBe('allow');
  expect(verdictOf(['git', 'fetch'])).toBe('allow');
  expect(verdictOf(shell('git fetch; cd evil && git status'))).toBe('ask');
});
