import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findOnPath, findProgram, programFolders, type ProgramSystem, programPath } from '../src/index.ts';

/** Every program that the project starts, and what its users name. */
const NAMES =
  'bwrap unshare mount setpriv sh bash env rg git secret-tool security sandbox-exec powershell cmd taskkill docker podman nerdctl npx npm node chromium true'.split(
    ' ',
  );

/** A folder of a repository, the workspace in it, and a folder that is neither. */
function createFolders() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'programs-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [repository, outside] = [join(base, 'repository'), join(base, 'outside')];
  const workspace = join(repository, 'packages/a');
  for (const folder of [join(repository, '.git'), workspace, outside]) mkdirSync(folder, { recursive: true });
  return { base, repository, workspace, outside };
}

function plant(folder: string, names: readonly string[] = NAMES): string {
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(join(folder, name), '#!/bin/sh\nexit 9\n', { mode: 0o755 });
  return folder;
}

type Folders = ReturnType<typeof createFolders>;
const WAYS: readonly (readonly [string, (folders: Folders) => string])[] = [
  ['a folder of the workspace', ({ workspace }) => plant(join(workspace, 'bin'))],
  ['the workspace itself', ({ workspace }) => plant(workspace)],
  ['what `npm run` adds', ({ workspace }) => plant(join(workspace, 'node_modules/.bin'))],
  ['what `npm run` adds of the repository around it', ({ repository }) => plant(join(repository, 'node_modules/.bin'))],
  ['another folder of the repository', ({ repository }) => plant(join(repository, 'tools'))],
  ['what `npx` adds', ({ outside }) => plant(join(outside, 'cache/node_modules/.bin'))],
  [
    'a link to a folder',
    ({ workspace, outside }) => {
      symlinkSync(plant(join(workspace, 'bin')), join(outside, 'link'));
      return join(outside, 'link');
    },
  ],
  [
    'links to files',
    ({ workspace, outside }) => {
      plant(join(workspace, 'bin'));
      for (const name of NAMES) symlinkSync(join(workspace, 'bin', name), join(outside, name));
      return outside;
    },
  ],
  [
    'links to links to files',
    ({ base, workspace, outside }) => {
      plant(join(base, 'real'));
      mkdirSync(join(workspace, 'bin'));
      for (const name of NAMES) {
        symlinkSync(join(base, 'real', name), join(workspace, 'bin', name));
        symlinkSync(join(workspace, 'bin', name), join(outside, name));
      }
      return outside;
    },
  ],
  [
    'folders of another repository that the program runs in',
    () => plant(join(import.meta.dirname, '../node_modules/.planted')),
  ],
  [
    'the current folder, by relative names',
    ({ workspace }) => (plant(workspace), ['', '.', './bin', 'bin'].join(delimiter)),
  ],
];

/** Only of what this code starts for its own work: on some build machines everybody can write to the folders of a user's tools. */
const WRITABLE: typeof WAYS = [
  [
    'a folder that everybody can write to',
    ({ outside }) => {
      chmodSync(plant(outside), 0o777);
      return outside;
    },
  ],
  [
    'a folder below one that everybody can write to',
    ({ outside }) => {
      chmodSync(outside, 0o777);
      return plant(join(outside, 'bin'));
    },
  ],
  [
    'a link that everybody can replace',
    ({ base, outside }) => {
      symlinkSync(plant(join(base, 'real')), join(outside, 'link'));
      chmodSync(outside, 0o777);
      return join(outside, 'link');
    },
  ],
  [
    'files that everybody can write to',
    ({ outside }) => {
      for (const name of NAMES) chmodSync(join(plant(outside, [name]), name), 0o777);
      return outside;
    },
  ],
];

describe.skipIf(process.platform === 'win32')('planted through', () => {
  test.each(WRITABLE)('%s, none of the programs is found for our own work', (_name, plantIn) => {
    const folders = createFolders();
    const path = plantIn(folders);
    for (const name of NAMES) expect(findProgram(name, { ...folders, path }) ?? '').not.toContain(folders.base);
  });

  test.each(WAYS)('%s, none of the programs is found', (_name, plantIn) => {
    const folders = createFolders();
    const path = plantIn(folders);
    onTestFinished(() =>
      rmSync(join(import.meta.dirname, '../node_modules/.planted'), { recursive: true, force: true }),
    );
    const { workspace, base } = folders;
    const isPlanted = (file: string | undefined) =>
      file !== undefined && (file.startsWith(base) || file.includes('.planted'));
    const found = NAMES.flatMap((name) => [
      findProgram(name, { workspace, path }),
      findOnPath(name, { workspace, path }),
    ]);
    expect(found.filter(isPlanted)).toEqual([]);
    // With what is on this machine behind it, too.
    const both = `${path}${delimiter}${process.env['PATH']}`;
    expect(NAMES.map((name) => findOnPath(name, { workspace, path: both })).filter(isPlanted)).toEqual([]);
  });

  test('a program in a folder of this user is found, also through a link, and a name is only a name', () => {
    const { workspace, outside, base } = createFolders();
    plant(join(base, 'real'), ['rg']);
    symlinkSync(join(base, 'real/rg'), join(outside, 'rg'));
    expect(findProgram('rg', { workspace, path: outside })).toBe(join(outside, 'rg'));
    expect(findOnPath('rg', { workspace, path: outside })).toBe(join(outside, 'rg'));
    expect(findOnPath('rg', { path: join(workspace, 'bin'), workspace })).toBeUndefined();
    for (const name of ['../outside/rg', './rg', '.', '..', '', 'rg\0', join(outside, 'rg')])
      expect(findOnPath(name, { path: outside })).toBeUndefined();
    expect(findProgram('sh')).toMatch(/^\/(?:usr\/)?bin\/sh$/);
  });

  test('folders that a caller chose count as they are, but none that is relative', () => {
    const { workspace } = createFolders();
    const bin = plant(join(workspace, 'node_modules/.bin'), ['tool']);
    expect(findOnPath('tool', { workspace, path: `.${delimiter}${bin}`, isPathTrusted: true })).toBe(join(bin, 'tool'));
  });
});

/** A made system: paths with what they are, links as `-> target`. */
function made(files: Readonly<Record<string, string>>, rest: Partial<ProgramSystem> = {}): ProgramSystem {
  const isWindows = rest.platform !== 'linux' && rest.platform !== 'darwin';
  const key = (path: string): string => (isWindows ? path.replaceAll('/', '\\').toLowerCase() : path);
  const entries = new Map(Object.entries(files).map(([path, what]) => [key(path), what]));
  const isFolder = (path: string): boolean =>
    [...entries.keys()].some((each) => each.startsWith(`${path.replace(/[\\/]$/, '')}${isWindows ? '\\' : '/'}`));
  const system: ProgramSystem = {
    platform: 'win32',
    env: {
      SystemRoot: String.raw`C:\Windows`,
      ProgramFiles: String.raw`C:\Program Files`,
      USERPROFILE: String.raw`C:\Users\me`,
    },
    cwd: String.raw`C:\Users\me\repository`,
    home: String.raw`C:\Users\me`,
    uid: undefined,
    stat(path) {
      const what = entries.get(key(path));
      if (what === undefined) return isFolder(key(path)) ? { mode: 0o040755, uid: 0, gid: 0 } : undefined;
      if (what.startsWith('->')) return { mode: 0o120777, uid: 0, gid: 0 };
      const [mode = '100755', uid = '0', gid = '0'] = what.split(' ');
      return { mode: Number.parseInt(mode, 8), uid: Number(uid), gid: Number(gid) };
    },
    realpath(path) {
      for (const [from, what] of entries)
        if (what.startsWith('->') && (key(path) === from || key(path).startsWith(`${from}${isWindows ? '\\' : '/'}`)))
          return what.slice(2).trim() + path.slice(from.length);
      return system.stat(path) === undefined ? undefined : path;
    },
    readLink: (path) => entries.get(key(path))?.slice(2).trim() ?? '',
    ...rest,
  };
  return system;
}

const REPOSITORY = String.raw`C:\Users\me\repository`;
const onWindows = (files: readonly string[], links: Readonly<Record<string, string>> = {}): ProgramSystem =>
  made({
    ...Object.fromEntries(files.map((file) => [file, '100755'])),
    ...Object.fromEntries(Object.entries(links).map(([from, to]) => [from, `-> ${to}`])),
    [String.raw`${REPOSITORY}\.git\HEAD`]: '100644',
  });

describe('on Windows, with made folders,', () => {
  const workspace = String.raw`${REPOSITORY}\packages\a`;
  test.each([
    ['a folder of the repository', String.raw`${REPOSITORY}\tools`],
    ['the same in another case and with slashes', String.raw`c:/users/ME/Repository/TOOLS`],
    ['what `npm run` adds', String.raw`${REPOSITORY}\node_modules\.bin`],
    ['what `npx` adds', String.raw`C:\Users\me\AppData\Local\npm-cache\_npx\1\node_modules\.bin`],
    ['the current folder', ''],
    ['the current folder, by a dot', '.'],
    ['a folder without a drive', String.raw`\tools`],
    ['the current folder of a drive', 'C:tools'],
    ['a share of another machine', String.raw`\\server\share`],
  ])('%s gives no program, whatever PATHEXT says', (_name, folder) => {
    const path = ['', String.raw`${folder}`].join(';');
    const planted = ['', '.exe', '.com', '.cmd', '.bat', '.js', '.vbs', '.ps1'].flatMap((ending) =>
      NAMES.map((name) => [folder === '' || folder === '.' ? REPOSITORY : folder, name + ending].join('\\')),
    );
    const system = { ...onWindows(planted), cwd: REPOSITORY };
    const env = { ...system.env, PATHEXT: '.JS;.VBS;.PS1;.CMD;.EXE' };
    for (const name of NAMES) {
      expect(findProgram(name, { workspace, path, system: { ...system, env } })).toBeUndefined();
      expect(findOnPath(name, { workspace, path, system: { ...system, env } })).toBeUndefined();
    }
  });

  test.each([String.raw`C:\tools`, String.raw`C:\Users\other\bin`])(
    'a folder that other users can make files in gives no program for our own work: %s',
    (path) => {
      const system = onWindows(NAMES.map((name) => `${path}\\${name}.exe`));
      for (const name of NAMES) expect(findProgram(name, { workspace, path, system })).toBeUndefined();
    },
  );

  test('a link that leads into the repository gives no program, and one that stays among programs does', () => {
    const bin = String.raw`C:\Users\me\bin`;
    const files = [String.raw`${REPOSITORY}\tools\git.exe`, String.raw`C:\Program Files\Git\cmd\git.exe`];
    const into = onWindows(files, { [String.raw`${bin}\git.exe`]: String.raw`${REPOSITORY}\tools\git.exe` });
    expect(findProgram('git', { workspace, path: bin, system: into })).toBeUndefined();
    const away = onWindows(files, { [String.raw`${bin}\git.exe`]: String.raw`C:\Program Files\Git\cmd\git.exe` });
    expect(findProgram('git', { workspace, path: bin, system: away })).toBe(String.raw`${bin}\git.exe`);
  });

  test('programs of the system come first, without PATH, and a batch file is only what a user named', () => {
    const system = onWindows([
      String.raw`C:\Windows\System32\taskkill.exe`,
      String.raw`C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`,
      String.raw`C:\Program Files\nodejs\npx.cmd`,
      String.raw`C:\Program Files\nodejs\taskkill.exe`,
    ]);
    const path = String.raw`C:\Program Files\nodejs`;
    const find = (name: string) => findProgram(name, { workspace, path, system });
    expect(find('taskkill')).toBe(String.raw`C:\Windows\System32\taskkill.exe`);
    expect(find('powershell')).toBe(String.raw`C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`);
    expect(find('npx')).toBeUndefined();
    expect(findOnPath('npx', { workspace, path, system })).toBe(String.raw`C:\Program Files\nodejs\npx.cmd`);
    expect(findOnPath('npx.cmd', { workspace, path, system })).toBe(String.raw`C:\Program Files\nodejs\npx.cmd`);
    expect(programFolders({ workspace, path: `${path};.;${REPOSITORY}`, system })).toEqual([path]);
  });
});

describe('on Linux, with made folders,', () => {
  const linux = (files: Readonly<Record<string, string>>, rest: Partial<ProgramSystem> = {}) =>
    made(files, { platform: 'linux', env: {}, cwd: '/srv/app', home: '/home/me', uid: 1000, ...rest });

  test.each<readonly [string, string, string, boolean]>([
    ['the system', '040755 0 0', '100755 0 0', true],
    ['this user', '040755 1000 1000', '100755 1000 1000', true],
    ['this user and a group of its own', '040775 1000 1000', '100775 1000 1000', true],
    ['this user and another group', '040775 1000 50', '100755 1000 50', false],
    ['another user', '040755 1001 1001', '100755 1001 1001', false],
    ['another user, in a folder of this one', '040755 1000 1000', '100755 1001 1001', false],
  ])('a program of %s is used: %4$s', (_name, folder, file, isUsed) => {
    const system = linux({ '/opt/tool/bin': folder, '/opt/tool/bin/rg': file });
    expect(findProgram('rg', { path: '/opt/tool/bin', system })).toBe(isUsed ? '/opt/tool/bin/rg' : undefined);
    // What a user named on their own PATH may belong to somebody whom they trust.
    expect(findOnPath('rg', { path: '/opt/tool/bin', system })).toBe('/opt/tool/bin/rg');
  });

  test.each([
    ['this user', '100777 1000 1000', true],
    ['another user', '100755 1001 1001', false],
  ])('in a folder that everybody can write to, a command of %s counts: %3$s', (_name, file, isUsed) => {
    const system = linux({ '/opt/tools/bin': '040777 0 0', '/opt/tools/bin/node': file });
    expect(findOnPath('node', { path: '/opt/tools/bin', system })).toBe(isUsed ? '/opt/tools/bin/node' : undefined);
    expect(findProgram('node', { path: '/opt/tools/bin', system })).toBeUndefined();
  });

  test('a workspace or a current folder that is the root or the home hides only what it must', () => {
    const files = { '/usr/bin/bwrap': '100755', '/home/me/bin/rg': '100755 1000 1000', '/home/me/.git/HEAD': '100644' };
    const find = (name: string, rest: Partial<ProgramSystem>, workspace?: string) =>
      findProgram(name, { path: '/home/me/bin', workspace, system: linux(files, rest) });
    expect(find('bwrap', { cwd: '/' }, '/')).toBe('/usr/bin/bwrap');
    expect(find('rg', { cwd: '/home/me' }, '/home/me/project')).toBe('/home/me/bin/rg');
    // What an agent can write to is not started for its work; what a user names there is.
    expect(find('rg', { cwd: '/home/me' }, '/home/me')).toBeUndefined();
    const search = { path: '/home/me/bin', workspace: '/home/me', system: linux(files, { cwd: '/home/me' }) };
    expect([findOnPath('rg', search), programFolders(search)]).toEqual(['/home/me/bin/rg', ['/home/me/bin']]);
  });

  test.each(['/usr', '/usr/bin', '/usr/local', '/'])(
    'the folders of the system count also for somebody who is in one of them: %s',
    (cwd) => {
      const system = linux({ '/usr/bin/sh': '100755', '/usr/local/bin/tool': '100755' }, { cwd });
      for (const search of [{ system }, { system, workspace: cwd }]) {
        expect(findProgram('sh', { ...search, path: '' })).toBe('/usr/bin/sh');
        expect(findOnPath('tool', { ...search, path: '/usr/local/bin' })).toBe('/usr/local/bin/tool');
      }
    },
  );

  test.each(['.git', '.hg', '.jj', '.svn', 'package.json', 'node_modules'])(
    'a folder above with %s in it is a project of anybody, with all that is in it',
    (mark) => {
      const files = { '/srv/r/bin/rg': '100755', [`/srv/r/${mark}`]: '100644' };
      const search = {
        path: '/srv/r/bin',
        workspace: '/srv/r/sub',
        system: linux({ ...files, '/srv/r/sub/a': '100644' }),
      };
      expect([findProgram('rg', search), findOnPath('rg', search), programFolders(search)]).toEqual([
        undefined,
        undefined,
        [],
      ]);
    },
  );

  test.each<readonly [string, boolean, string]>([
    ['of the system', true, '040755 0 0'],
    ['of this user', true, '040775 1000 1000'],
    ['of another user', false, '040755 1001 1001'],
    ['of another user, where nobody else can rename', false, '041777 1001 1001'],
    ['that another group can write to', false, '040775 0 50'],
    ['that everybody can write to', false, '040777 0 0'],
    ['that everybody can write to, where only owners can rename', true, '041777 0 0'],
  ])('a program below a folder %s is used for our own work: %s', (_name, isUsed, parent) => {
    const files = { '/opt/pp': parent, '/opt/pp/bin': '040755 0 0', '/opt/pp/bin/bwrap': '100755 0 0' };
    const found = findProgram('bwrap', { path: '/opt/pp/bin', system: linux(files) });
    expect(found).toBe(isUsed ? '/opt/pp/bin/bwrap' : undefined);
  });

  test('a link of another user is not followed for our own work', () => {
    const files = { '/tmp': '041777 0 0', '/tmp/link': '-> /opt/bin', '/opt/bin/rg': '100755 0 0' };
    const system = linux(files);
    const owned = (uid: number): ProgramSystem => ({
      ...system,
      stat: (path) => (path === '/tmp/link' ? { mode: 0o120777, uid, gid: uid } : system.stat(path)),
    });
    expect(findProgram('rg', { path: '/tmp/link', system: owned(1000) })).toBe('/tmp/link/rg');
    expect(findProgram('rg', { path: '/tmp/link', system: owned(1001) })).toBeUndefined();
  });

  test('in a container, what belongs to the owner of the root is of the system', () => {
    const files = {
      '/home': '040755 65534 65534',
      '/home/me/bin': '040755 1000 1000',
      '/home/me/bin/rg': '100755 1000 1000',
    };
    const find = (root: string) => findProgram('rg', { path: '/home/me/bin', system: linux({ ...files, '/': root }) });
    expect(find('040755 65534 65534')).toBe('/home/me/bin/rg');
    expect(find('040755 0 0')).toBeUndefined();
  });
});

test.each(['git', './git', '', 'bin/git'])('a program that is started by "%s" instead of a path is refused', (name) => {
  expect(() => programPath(name)).toThrow(`"${name}" is not the absolute path of a program.`);
});

test('a program is started by the absolute path that was found', () => {
  expect(programPath(process.execPath)).toBe(process.execPath);
});
