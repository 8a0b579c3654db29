import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { createRegistry } from '@kernel/tools';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { commandTools, type Isolation } from '../../src/commands/index.ts';
import { repositoryOutside } from '../../src/commands/isolation/outside-repository.ts';
import { createWorkspace } from '../../src/workspace/index.ts';
import { isolations } from './isolations.ts';
import { emptyFolder } from './support.ts';

let root: string;
const at = (...names: readonly string[]): string => join(root, ...names);
const put = (path: string, text: string): void => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always', ...args], {
    cwd: at(cwd),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
function repository(name: string, file = 'a.txt'): void {
  put(`${name}/${file}`, 'one\n');
  git(name, 'init', '-q', '-b', 'main');
  git(name, 'add', '.');
  git(name, 'commit', '-qm', 'first');
}
/** What a command in a workspace may read of a repository outside, by paths from the root. */
const shown = (workspace: string, cwd = workspace): readonly string[] =>
  (repositoryOutside(at(workspace), at(cwd))?.paths ?? []).map((path) => path.slice(root.length + 1)).toSorted();

beforeEach(async () => {
  root = await emptyFolder();
});

/** A workspace in each place that a repository outside of it serves. */
const PLACES: Readonly<Record<string, () => string>> = {
  worktree: () => {
    repository('main');
    git('main', 'worktree', 'add', '-q', at('tree'), '-b', 'feature');
    return 'tree';
  },
  'worktree of a bare repository around it': () => {
    repository('made');
    git('.', 'clone', '-q', '--bare', at('made'), at('bare'));
    git('bare', 'worktree', 'add', '-q', at('bare/tree'), '-b', 'feature');
    return 'bare/tree';
  },
  submodule: () => {
    repository('part');
    repository('main');
    git('main', 'submodule', 'add', '-q', at('part'), 'sub');
    return 'main/sub';
  },
  'worktree of a submodule': () => {
    const sub = PLACES['submodule']?.() ?? '';
    git(sub, 'worktree', 'add', '-q', at('tree'), '-b', 'feature');
    return 'tree';
  },
  'package of a monorepo': () => {
    repository('main', 'packages/a/index.txt');
    return 'main/packages/a';
  },
  'package of a monorepo in a worktree': () => {
    repository('main', 'packages/a/index.txt');
    git('main', 'worktree', 'add', '-q', at('tree'), '-b', 'feature');
    return 'tree/packages/a';
  },
};

for (const { name, isolation, feature } of isolations)
  describe(`Git in a command isolated by ${name}`, feature.options, () => {
    const runIn = async (folder: string, command: readonly string[], by: Isolation, rest: object = {}) => {
      const workspace = await createWorkspace({ root: at(folder), write: ['**'] });
      const made = commandTools({ workspace, isolation: by, ...rest });
      onTestFinished(async () => {
        await made.close();
        await workspace.close();
      });
      const call = { type: 'tool-call', id: '1', name: 'run_command', arguments: JSON.stringify({ command }) } as const;
      return (await callTool(createRegistry(made.tools), call, { signal: new AbortController().signal })).forLLM;
    };

    it.each(Object.keys(PLACES))('knows the history and the changes of a %s', async (place) => {
      verifies('toolbox.isolation.outside');
      const folder = PLACES[place]?.() ?? '';
      put(`${folder}/new.txt`, 'new\n');
      expect(await runIn(folder, ['git', 'log', '--oneline'], isolation)).toContain(' first');
      expect(await runIn(folder, ['git', 'status', '--short', '.'], isolation)).toMatch(/\n\?\? new\.txt\n/);
    });

    it.each(Object.keys(PLACES))('cannot change the repository of a %s', async (place) => {
      verifies('toolbox.isolation.outside');
      const folder = PLACES[place]?.() ?? '';
      const hook = git(folder, 'rev-parse', '--path-format=absolute', '--git-path', 'hooks/post-commit').trim();
      const config = git(folder, 'rev-parse', '--path-format=absolute', '--git-path', 'config').trim();
      const before = readFileSync(config, 'utf8');
      const script = `echo evil > ${hook}; echo evil >> ${config}; git config a.b c; git commit --allow-empty -m x; git branch x`;
      for (const gitWritable of [false, true]) await runIn(folder, ['sh', '-c', script], isolation, { gitWritable });
      expect(existsSync(hook)).toBe(false);
      expect(readFileSync(config, 'utf8')).toBe(before);
      expect(git(folder, 'log', '--all', '--oneline').trim().split('\n')).toHaveLength(1);
    });

    it('says that files outside of a package were not deleted', async () => {
      repository('main', 'packages/a/index.txt');
      expect(await runIn('main/packages/a', ['git', 'status'], isolation)).toContain('is not. "git status ."');
      expect(await runIn('main/packages/a', ['git', 'log'], isolation)).not.toContain('(Commands see no files');
    });
  });

describe('of a repository outside of the workspace, a command sees', () => {
  it('what a worktree needs, and neither other worktrees nor submodules', () => {
    PLACES['worktree']?.();
    git('main', 'worktree', 'add', '-q', at('other'), '-b', 'other');
    put('main/.git/modules/private/HEAD', '');
    put('main/.git/token', '');
    const names = ['HEAD', 'config', 'info', 'logs', 'objects', 'refs', 'worktrees/tree'];
    expect(shown('tree')).toEqual(names.map((name) => `main/.git/${name}`));
  });

  it('that of the worktree that a command runs in, where the workspace has several', () => {
    repository('main');
    for (const name of ['a', 'b']) git('main', 'worktree', 'add', '-q', at('trees', name), '-b', name);
    expect(shown('trees')).toEqual([]);
    expect(shown('trees', 'trees/b')).toContain('main/.git/worktrees/b');
    expect(shown('trees', 'trees/b')).not.toContain('main/.git/worktrees/a');
  });

  it('nothing where all is in the workspace already', () => {
    PLACES['submodule']?.();
    expect([shown('main'), shown('main', 'main/sub')]).toEqual([[], []]);
  });

  // Each is in a workspace that somebody else has made, beside a repository of the user.
  const ATTACKS: Readonly<Record<string, () => void>> = {
    'a system folder': () => put('evil/.git', 'gitdir: /etc\n'),
    'keys, by a link in the workspace': () => {
      put('.ssh/id', 'secret');
      mkdirSync(at('evil'));
      symlinkSync(at('.ssh'), at('evil/keys'));
      put('evil/.git', 'gitdir: keys\n');
    },
    'the registration of another worktree': () => put('evil/.git', `gitdir: ${at('main/.git/worktrees/tree')}\n`),
    'a copy of a worktree': () => cpSync(at('tree'), at('evil'), { recursive: true }),
    'the repository itself': () => put('evil/.git', `gitdir: ${at('main/.git')}\n`),
    'the repository of a submodule': () => put('evil/.git', `gitdir: ${at('main/.git/modules/sub')}\n`),
    'the repository around, from a folder without files of it': () => put('main/evil/x', ''),
    'what another workspace says is shared': () => {
      put('second/worktrees/x/HEAD', 'ref: refs/heads/main\n');
      put('second/worktrees/x/gitdir', `${at('evil/.git')}\n`);
      put('second/worktrees/x/commondir', `${at('main/.git')}\n`);
      put('evil/.git', `gitdir: ${at('second/worktrees/x')}\n`);
    },
    'links in another workspace': () => {
      put('second/worktrees/x/HEAD', 'ref: refs/heads/main\n');
      put('second/worktrees/x/gitdir', `${at('evil/.git')}\n`);
      put('second/worktrees/x/commondir', '../..\n');
      put('second/HEAD', 'ref: refs/heads/main\n');
      mkdirSync(at('second/refs'));
      symlinkSync(at('main/.git/objects'), at('second/objects'));
      put('evil/.git', `gitdir: ${at('second/worktrees/x')}\n`);
    },
    'a registration that a link leads to': () => {
      renameSync(at('main/.git/worktrees'), at('moved'));
      symlinkSync(at('moved'), at('main/.git/worktrees'));
      put('moved/tree/gitdir', `${at('evil/.git')}\n`);
      put('evil/.git', `gitdir: ${at('main/.git/worktrees/tree')}\n`);
    },
  };
  it.each(Object.keys(ATTACKS))('nothing of %s', (attack) => {
    verifies('toolbox.isolation.outside');
    repository('part');
    PLACES['worktree']?.();
    git('main', 'submodule', 'add', '-q', at('part'), 'sub');
    ATTACKS[attack]?.();
    expect(shown(existsSync(at('main/evil')) ? 'main/evil' : 'evil')).toEqual([]);
  });

  it('of links beside what is shared, nothing', () => {
    PLACES['worktree']?.();
    put('keys/id', 'secret');
    symlinkSync(at('keys'), at('main/.git/shallow'));
    expect(shown('tree')).not.toContain('main/.git/shallow');
  });

  it('nothing of a repository that fills the home folder', () => {
    repository('home', 'project/a.txt');
    vi.stubEnv('HOME', at('home'));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(shown('home/project')).toEqual([]);
    vi.stubEnv('HOME', at('main'));
    expect(shown('home/project')).toEqual(['home/.git']);
  });
});
