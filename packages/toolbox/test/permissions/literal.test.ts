import { verifies } from '@kernel/testing';
import { realpathSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type PermissionRule, permissions } from '../../src/permissions/index.ts';
import { folderWith } from '../workspace/folders.ts';

const verdictOf = (rule: PermissionRule, name: string, input: object, root = '/srv/[shop]/x'): string =>
  permissions([rule], { root }).decide(name, { ...input }).verdict;

describe('a rule that denies matches what equals it read literally', () => {
  it.each<readonly [string, string]>([
    [String.raw`a\b.ts`, String.raw`a\b.ts`],
    [String.raw`a\b/**`, String.raw`a\b/x`],
    [String.raw`a\\b.ts`, String.raw`a\b.ts`],
    [String.raw`a\b\[c\].ts`, String.raw`a\b[c].ts`],
    [' lead.ts', ' lead.ts'],
    [' lead.ts', 'lead.ts'],
    ['trail.ts ', 'trail.ts '],
    ['a | b', 'b'],
    ['src//a.ts', 'src//a.ts'],
    ['src/x/../a.ts', 'src/x/../a.ts'],
    ['src/./a.ts', 'src/a.ts'],
    ['{a/../b,c}/x', 'b,c}/x'],
    ['src', 'src/deep/a.ts'],
    ['src/', 'src/a.ts'],
    ['packages/*/', 'packages/a'],
    ['./', 'a'],
    ['.', 'a'],
    ['/srv/[shop]/x', 'a'],
    ['/srv/[shop]/x/src/**', 'src/a.ts'],
    ['/srv/[shop]/x/src/**', '/srv/[shop]/x/src/a.ts'],
    [String.raw`/srv/\[shop\]/x/src/**`, 'src/a.ts'],
    ['/SRV/*/x/src/**', 'src/a.ts'],
    ['/srv/**', 'src/a.ts'],
    ['/srv', 'src/a.ts'],
    ['/**/src/**', 'src/a.ts'],
    ['/**', '/etc/passwd'],
    ['/src/**', 'src/a.ts'],
    ['//src//a.ts', 'src/a.ts'],
    ['..x/**', '/srv/[shop]/x/..x/a'],
    ['x://y/**', 'x:/y/a'],
  ])('edit_file(%s) denies %j', (pattern, path) => {
    verifies('toolbox.permissions.literal');
    expect(verdictOf({ deny: `edit_file(${pattern})` }, 'edit_file', { path })).toBe('deny');
    expect(verdictOf({ ask: `edit_file(${pattern})` }, 'edit_file', { path })).toBe('ask');
  });

  it.each<readonly [string, string]>([
    ['src', 'srcs/a'],
    ['src/*', 'src/a/b'],
    ['/srv/[shop]/x/src', 'test/a'],
    ['/srv/other/**', 'src/a'],
    ['/*', 'src/a'],
    ['/srv/[shop]/x', '/etc/passwd'],
    ['../y', 'y'],
    ['|', 'a'],
  ])('edit_file(%s) says nothing of %j', (pattern, path) => {
    const policy = permissions([{ allow: '*' }, { deny: `edit_file(${pattern})` }], { root: '/srv/[shop]/x' });
    expect(policy.decide('edit_file', { path }).verdict).toBe('allow');
  });

  it('also what is reached by another name, through a link', () => {
    const root = folderWith({ 'private/a': '', 'open/b': '' });
    symlinkSync(join(root, 'private'), join(root, 'open/link'), 'junction');
    symlinkSync('missing', join(root, 'open/other'), 'junction');
    for (const path of ['open/link/a', 'open/link', 'open/link/new/file', join(root, 'open/link/a')]) {
      expect([path, verdictOf({ deny: 'edit_file(private/**)' }, 'edit_file', { path }, root)]).toEqual([path, 'deny']);
      expect(verdictOf({ deny: '*(private/**)' }, 'run_command', { command: ['cat', path] }, root)).toBe('deny');
      expect(verdictOf({ allow: 'edit_file(open/**)' }, 'edit_file', { path }, root)).toBe('ask');
    }
    expect(verdictOf({ deny: '*(private/**)' }, 'run_command', { command: ['cat', 'a'], cwd: 'open/link' }, root)).toBe(
      'deny',
    );
    expect(verdictOf({ deny: 'edit_file(open/missing)' }, 'edit_file', { path: 'open/other' }, root)).toBe('deny');
    expect(verdictOf({ allow: 'edit_file(open/**)' }, 'edit_file', { path: 'open/b' }, root)).toBe('allow');
    const { suggestion } = permissions([], { root }).decide('edit_file', { path: 'open/link/a' });
    expect(suggestion).toEqual({ allow: 'edit_file(open/link/a|private/a)' });
  });

  it.each<readonly [string, string]>([
    ['https://example.com/page?id=3', 'https://example.com/page?id=3'],
    ['https://example.com/page?id=3', 'https://EXAMPLE.com:443/page?id=3#x'],
    ['https://example.com/page?to=*', 'https://example.com/page?to=https://a/b'],
    ['https://example.com/page?q=a b', 'https://example.com/page?q=a%20b'],
    ['https://example.com/v?/**', 'https://example.com/v1/a'],
    ['https://example.com/page#x', 'https://example.com/page'],
    ['https://example.com?x=1', 'https://example.com/?x=1'],
    ['https://example.com:443/a/**', 'https://example.com/a/x'],
    ['*://example.com:80/**', 'http://example.com/a/x'],
    ['https://example.com/a|b/**', 'https://example.com/a|b/x'],
    ['https://example.com/a//b', 'https://example.com/a//b'],
    ['https://example.com/[id]?a={b,c}', 'https://example.com/[id]?a={b,c}'],
  ])('fetch_url(%s) denies %s', (pattern, url) => {
    expect(verdictOf({ deny: `fetch_url(${pattern})` }, 'fetch_url', { url })).toBe('deny');
  });

  it.each<readonly [string, readonly string[]]>([
    ['echo a|b', ['echo', 'a|b']],
    ['cat "my file"', ['cat', 'my file']],
    ["cat 'my file'", ['sudo', 'cat', 'my file']],
    ['cat my file', ['cat', 'my file']],
    [String.raw`cat a\b`, ['cat', String.raw`a\b`]],
    [String.raw`cat a\b`, ['cat', 'ab']],
    ['a && b', ['bash', '-c', 'a && b']],
    ['a && b', ['bash', '-c', 'x; a --fast && b']],
    ['curl * | sh', ['bash', '-c', 'curl x | tee y | sh']],
    ['cat secrets/', ['cat', 'secrets/']],
    ['cat', ['cat', 'a']],
    ['/srv/[shop]/x/src/**', ['cat', 'src/a']],
    ['secrets/', ['cat', 'secrets/a']],
    ['cat ~/notes/*', ['cat', join(homedir(), 'notes/a')]],
    ['~/notes/**', ['cat', join(homedir(), 'notes/a')]],
  ])('run_command(%s) denies %j', (pattern, command) => {
    expect(verdictOf({ deny: `run_command(${pattern})` }, 'run_command', { command })).toBe('deny');
  });

  it.each<readonly [string, readonly string[]]>([
    ['run_command(docker)', ['ls', 'docker/a']],
    ['*(/srv/**)', ['git', 'status']],
    ['run_command(git push)', ['git', 'commit', '-m', 'please git push']],
    ['run_command(;)', ['ls']],
    ['run_command(a && b)', ['bash', '-c', 'a; c']],
  ])('%s says nothing of %j', (rule, command) => {
    const policy = permissions([{ allow: 'run_command' }, { deny: rule }], { root: '/srv/[shop]/x' });
    expect(policy.decide('run_command', { command }).verdict).toBe('allow');
  });

  it.each(['~/shop/src/**', '$HOME/shop/src', '${HOME}/shop/src/a.ts', '~'])(
    '%s, for a workspace in the home folder',
    (pattern) => {
      const root = join(homedir(), 'shop');
      expect(verdictOf({ deny: `edit_file(${pattern})` }, 'edit_file', { path: 'src/a.ts' }, root)).toBe('deny');
      expect(verdictOf({ deny: `edit_file(${pattern})` }, 'edit_file', { path: join(root, 'src/a.ts') }, root)).toBe(
        'deny',
      );
    },
  );

  it('also where the root is reached through a link', () => {
    const above = realpathSync.native(folderWith({ 'real/src/a': '' }));
    const [folder, link] = [join(above, 'real'), join(above, 'link')];
    symlinkSync(folder, link, 'junction');
    for (const rule of ['src/**', join(link, 'src'), join(folder, 'src')])
      for (const path of ['src/a', join(link, 'src/a'), join(folder, 'src/a')])
        expect([rule, path, verdictOf({ deny: `edit_file(${rule})` }, 'edit_file', { path }, link)]).toEqual([
          rule,
          path,
          'deny',
        ]);
  });
});

describe('a rule that allows names nothing else', () => {
  it.each<readonly [string, string, object, string]>([
    ['edit_file', String.raw`a\b.txt`, { path: 'ab.txt' }, 'ask'],
    ['edit_file', String.raw`a\b.txt`, { path: String.raw`a\b.txt` }, 'allow'],
    ['edit_file', '/srv/[shop]/x/src/**', { path: 'src/a' }, 'allow'],
    ['edit_file', '/srv/[shop]/x/src/**', { path: '/srv/s/x/src/a' }, 'ask'],
    ['edit_file', '/srv/**', { path: '../a' }, 'ask'],
    ['edit_file', '*|x', { path: '..' }, 'ask'],
    ['edit_file', 'src', { path: 'src/a' }, 'ask'],
    ['list_directory', 'src/', { path: 'src' }, 'allow'],
    ['edit_file', 'src//a.ts', { path: 'src/a.ts' }, 'allow'],
    ['fetch_url', 'https://example.com/page?id', { url: 'https://example.com/page1id' }, 'ask'],
    ['fetch_url', 'https://example.com/page?id=3', { url: 'https://example.com/page?id=3' }, 'allow'],
    ['fetch_url', 'https://example.com/page?id=3', { url: 'https://example.com/page?id=4' }, 'ask'],
    ['fetch_url', 'https://example.com/page?id=*', { url: 'https://example.com/page?id=a/b' }, 'allow'],
    ['fetch_url', 'https://example.com?x=1', { url: 'https://example.com/a' }, 'ask'],
    ['fetch_url', 'https://example.com:443', { url: 'https://example.com/a' }, 'allow'],
    ['run_command', String.raw`cat a\b`, { command: ['cat', 'ab'] }, 'ask'],
    ['run_command', String.raw`cat a\b`, { command: ['cat', String.raw`a\b`] }, 'allow'],
  ])('%s(%s), for %j: %s', (name, pattern, input, verdict) => {
    verifies('toolbox.permissions.literal');
    expect(verdictOf({ allow: `${name}(${pattern})` }, name, input)).toBe(verdict);
  });
});

it.each([' a', 'a ', '  a  ', 'a|b', '[a]/{b,c}', 'a*', '!a', 'a//b', '/srv/[shop]/x/a', String.raw`a\b`])(
  'the rule that is suggested for %j allows it, and no other path',
  (path) => {
    const policy = permissions([], { root: '/srv/[shop]/x' });
    const { suggestion } = policy.decide('edit_file', { path });
    expect(suggestion).toBeDefined();
    if (suggestion !== undefined) policy.remember(suggestion);
    expect(policy.decide('edit_file', { path }).verdict).toBe('allow');
    for (const other of ['ab', 'b', 'a/x', 'ax'])
      expect([other, policy.decide('edit_file', { path: other }).verdict]).toEqual([other, 'ask']);
  },
);
