import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ownIdentity } from '@kernel/internal';
import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { describeLimits } from '../../src/commands/command-result.ts';
import { holdRepository, isHeld } from '../../src/commands/isolation/hold-repository.ts';
import { mountsOf, TABLE } from '../../src/commands/isolation/mounts.ts';
import { outermost, programsOn } from '../../src/commands/isolation/system-folders.ts';
import { emptyFolder } from './support.ts';

/** A home with programs and links at these paths. */
async function homeWith(programs: readonly string[], links: Readonly<Record<string, string>> = {}): Promise<string> {
  const home = await emptyFolder();
  const add = (path: string): string => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    return join(home, path);
  };
  for (const path of programs) writeFileSync(add(path), '', { mode: path.includes('bin/') ? 0o755 : 0o644 });
  for (const [path, target] of Object.entries(links)) symlinkSync(target, add(path));
  return home;
}
const below = (home: string, ...folders: readonly string[]): readonly string[] =>
  outermost(programsOn(folders.map((folder) => join(home, folder)).join(':')))
    .map((path) => path.slice(home.length + 1))
    .toSorted();

describe('what of a folder of the PATH a command sees', () => {
  it.each(['.cargo', '.docker', '.fly', '.pulumi', '.railway', '.local', 'any'])(
    'is the folder, and nothing of %s beside it but libraries',
    async (tool) => {
      verifies('toolbox.isolation.programs.path');
      const home = await homeWith([
        `${tool}/bin/tool`,
        `${tool}/credentials.toml`,
        `${tool}/etc/token`,
        `${tool}/lib/a.so`,
      ]);
      expect(below(home, `${tool}/bin`)).toEqual([`${tool}/bin`, ...(tool === '.local' ? [] : [`${tool}/lib`])]);
    },
  );

  it.each([
    ['go', ['sdk/bin/go', 'sdk/src/a', 'sdk/go.env', 'sdk/token'], ['sdk/bin', 'sdk/go.env', 'sdk/src']],
    ['java', ['jdk/bin/java', 'jdk/conf/a', 'jdk/token'], ['jdk/bin', 'jdk/conf']],
    ['pyenv', ['.pyenv/bin/pyenv', '.pyenv/versions/a', '.pyenv/.git/config'], ['.pyenv/bin', '.pyenv/versions']],
  ] as const)('has what %s reads at its start', async (_, files, seen) => {
    verifies('toolbox.isolation.programs.path');
    const home = await homeWith(files);
    expect(below(home, dirname(files[0]))).toEqual(seen);
  });

  it('has the programs behind its links: a package, an installation, or the file alone', async () => {
    verifies('toolbox.isolation.programs.path');
    const home = await homeWith(
      [
        'p/lib/node_modules/@a/b/bin/cli.js',
        'venv/bin/black',
        'venv/pyvenv.cfg',
        'apps/one/bin-run',
        'apps/one/token',
        'key',
      ],
      {
        '.local/bin/package': '../../p/lib/node_modules/@a/b/bin/cli.js',
        '.local/bin/black': '../../venv/bin/black',
        '.local/bin/one': '../../apps/current/bin-run',
        '.local/bin/key': '../../key',
        '.local/bin/home': '../..',
        '.local/bin/missing': 'none',
        '.local/bin/circle': 'circle',
        'apps/current': 'one',
      },
    );
    chmodSync(join(home, 'apps/one/bin-run'), 0o755);
    expect(below(home, '.local/bin')).toEqual([
      '.local/bin',
      'apps/current/bin-run',
      'apps/one/bin-run',
      'p/lib/node_modules/@a/b',
      'venv/bin',
      'venv/pyvenv.cfg',
    ]);
  });

  it('is found by the name in the PATH, too, where that leads through a link', async () => {
    verifies('toolbox.isolation.programs.path');
    const home = await homeWith(['sdk/1.0/bin/tool'], { 'sdk/current': '1.0' });
    expect(below(home, 'sdk/current/bin')).toEqual(['sdk/1.0/bin', 'sdk/current/bin']);
  });

  it('is mounted once', () => {
    expect(outermost(['/a/b', '/a', '/a-b', '/a/c/d', '/b/c', '/b/c/d'])).toEqual(['/a', '/a-b', '/b/c']);
  });
});

describe('the table of the isolation', () => {
  it('is that of the guide', () => {
    const guide = readFileSync(
      new URL('../../../../docs/guides/permissions-and-isolation.md', import.meta.url),
      'utf8',
    );
    const forUsers = TABLE.filter(({ why }) => !/caller names|where it is allowed/.test(why));
    for (const { why } of forUsers) expect(guide).toContain(`| ${why} `);
  });

  it('refuses what a command could replace: a link in the place of what is hidden, or above it', async () => {
    verifies('toolbox.isolation.place');
    const links = { '.config': 'dotfiles/config', '.tool': 'dotfiles/config/tool' };
    const folder = await homeWith(['dotfiles/config/tool/rules'], links);
    const request = {
      command: [],
      folder,
      cwd: folder,
      variables: {},
      network: false,
      readable: [],
      gitWritable: true,
    };
    expect(() => mountsOf({ ...request, hidden: [join(folder, '.config/tool')] })).toThrow(
      `"${join(folder, '.config')}" is a link, which a command could replace.`,
    );
    expect(() => mountsOf({ ...request, hidden: [join(folder, '.tool')] })).toThrow(
      `"${join(folder, '.tool')}" is a link, which a command could replace.`,
    );
    const rows = mountsOf({ ...request, hidden: [join(folder, 'dotfiles/config/tool')] });
    expect(rows.filter(({ how }) => how !== 'read').map(({ how, path }) => [how, path.slice(folder.length)])).toEqual([
      ['write', ''],
      ['pinned', '/dotfiles'],
      ['pinned', '/dotfiles/config'],
      ['empty', '/dotfiles/config/tool'],
    ]);
  });
});

describe('the place of a repository', () => {
  it('is held as long as one holds it, and then is free', async () => {
    verifies('toolbox.isolation.place');
    const folder = await emptyFolder();
    const [first, second] = [holdRepository(folder), holdRepository(folder)];
    first();
    expect(isHeld(join(folder, '.git'))).toBe(true);
    second();
    second();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is freed of what a killed program left', async () => {
    verifies('toolbox.isolation.place');
    const folder = await emptyFolder();
    const git = join(folder, '.git');
    mkdirSync(git);
    const ended = { ...ownIdentity(), start: '1' };
    writeFileSync(join(git, 'isolated-command-1'), JSON.stringify(ended));
    holdRepository(folder)();
    expect(existsSync(git)).toBe(false);
  });

  it.each(['HEAD', 'isolated-other'])(
    'is not held where there is a repository, or anything in its place: %s',
    async (name) => {
      verifies('toolbox.isolation.place');
      const folder = await emptyFolder();
      mkdirSync(join(folder, '.git'));
      writeFileSync(join(folder, '.git', name), 'content');
      holdRepository(folder)();
      expect(readFileSync(join(folder, '.git', name), 'utf8')).toBe('content');
      rmSync(join(folder, '.git'), { recursive: true });
      writeFileSync(join(folder, '.git'), 'gitdir: /srv/a');
      holdRepository(folder)();
      expect(readFileSync(join(folder, '.git'), 'utf8')).toBe('gitdir: /srv/a');
    },
  );

  it('stays with the user who makes a repository there meanwhile', async () => {
    verifies('toolbox.isolation.place');
    const folder = await emptyFolder();
    const release = holdRepository(folder);
    writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/main');
    release();
    expect(readdirSync(join(folder, '.git'))).toEqual(['HEAD']);
  });
});

describe('a limit of isolated commands', () => {
  const end = {
    exitCode: 1,
    signal: undefined,
    stoppedBy: undefined,
    durationMs: 1,
    leftRunning: [],
    detached: [],
    limits: '5 processes',
  };
  it.each([
    'bash: fork: retry: Resource temporarily unavailable',
    'dd: error writing: No space left on device',
    'OSError: [Errno 24] Too many open files',
    'Error: EFBIG: file too large, write',
    'terminate called after throwing std::bad_alloc',
    'FATAL ERROR: Reached heap limit - JavaScript heap out of memory',
  ])('is named where the output says that it was reached: %s', (output) => {
    verifies('toolbox.isolation.limits');
    expect(describeLimits(end, output)).toContain('a limit of isolated commands: 5 processes.');
  });

  it('is named where a program was killed for it, and nowhere else', () => {
    verifies('toolbox.isolation.limits');
    expect(describeLimits({ ...end, exitCode: 137 }, '')).not.toBe('');
    expect(describeLimits({ ...end, exitCode: 153 }, '')).not.toBe('');
    expect(describeLimits(end, 'a failing test')).toBe('');
    expect(describeLimits({ ...end, exitCode: 0 }, 'out of memory')).toBe('');
    expect(describeLimits({ ...end, limits: undefined }, 'out of memory')).toBe('');
    expect(describeLimits({ ...end, exitCode: 137, stoppedBy: 'timeout' }, '')).toBe('');
  });
});
