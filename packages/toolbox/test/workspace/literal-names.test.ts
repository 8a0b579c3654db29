import { realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, it, test } from 'vitest';
import { fileTools, findFiles } from '../../src/files/index.ts';
import { permissions } from '../../src/permissions/index.ts';
import { compileEitherGlob, escapeGlob } from '../../src/workspace/glob.ts';
import { createWorkspace, memoryWorkspace } from '../../src/workspace/index.ts';
import { caller } from '../memory/support.ts';
import { folderWith } from './folders.ts';

const signal = new AbortController().signal;

/** Names of folders that a glob could read as something else, each with a name that it would stand for. */
const NAMES: readonly (readonly [name: string, other: string])[] = [
  ['[locale]', 'l'],
  ['[...slug]', 's'],
  ['[[...slug]]', 's]'],
  ['[!a]', 'b'],
  ['[a-z]', 'q'],
  ['{a,b}', 'a'],
  ['{a,{b,c}}', 'c'],
  ['[x]{a,b}', 'xa'],
  ['(auth)', 'auth'],
  ['@modal', 'modal'],
  ['(.)photo', 'photo'],
  ['a]b', 'ab'],
  ['[', 'l'],
  ['{', 'l'],
  ['{a}', 'a'],
];

describe.each(NAMES)('a folder named %s', (name, other) => {
  const pattern = `src/app/${name}/**`;
  const inside = `src/app/${name}/layout.tsx`;
  const outside = `src/app/${other}/layout.tsx`;

  it('is what a rule that denies or asks is about, in any case', () => {
    verifies('toolbox.permissions.literal');
    for (const verdict of ['deny', 'ask'] as const) {
      const policy = permissions([{ allow: '*' }, { [verdict]: `edit_file|run_command(${pattern})` } as never], {
        root: '/srv',
      });
      const of = (path: string) => policy.decide('edit_file', { path }).verdict;
      expect([inside, `/srv/${inside}`, inside.toUpperCase(), `src/app/x/../${name}/a/b.ts`].map(of)).toEqual(
        Array.from({ length: 4 }, () => verdict),
      );
      expect(policy.decide('run_command', { command: ['cat', inside] }).verdict).toBe(verdict);
      expect(of('src/app/zz/layout.tsx')).toBe('allow');
    }
  });

  it('is all that a rule that allows is about', () => {
    verifies('toolbox.permissions.literal');
    const policy = permissions([{ allow: `edit_file(${pattern})` }]);
    const of = (path: string) => policy.decide('edit_file', { path }).verdict;
    expect(of(inside)).toBe('allow');
    expect(of(outside)).toBe('ask');
  });

  it('is what the rule that is suggested is about', () => {
    verifies('toolbox.permissions.literal');
    const { suggestion } = permissions([]).decide('edit_file', { path: inside });
    if (suggestion === undefined) throw new Error('no suggestion');
    const only = permissions([suggestion]);
    expect([inside, outside].map((path) => only.decide('edit_file', { path }).verdict)).toEqual(['allow', 'ask']);
  });

  it('is what the rules of a workspace are about', () => {
    verifies('toolbox.permissions.literal');
    const writing = memoryWorkspace({}, { write: [pattern] });
    expect([inside, outside].map((path) => writing.allows('write', path))).toEqual([true, false]);
    const denying = memoryWorkspace({}, { deny: [pattern] });
    expect([inside, 'src/app/zz/a'].map((path) => denying.allows('read', path))).toEqual([false, true]);
    const without = memoryWorkspace({}, { write: ['**', `!${pattern}`] });
    expect([inside, 'src/app/zz/a'].map((path) => without.allows('write', path))).toEqual([false, true]);
  });

  it('is what glob, search_text and findFiles read, on disk and in memory', async () => {
    verifies('toolbox.files.literal');
    const files = { [inside]: 'needle', [outside]: 'needle', [`src/app/${name}/deep/a.tsx`]: 'needle' };
    const found = [`src/app/${name}/deep/a.tsx`, inside];
    for (const workspace of [memoryWorkspace(files), await createWorkspace({ root: folderWith(files) })]) {
      const tools = new Map(fileTools(workspace, { ripgrep: false }).map((each) => [each.tool.name, each]));
      const call = async (tool: string, input: object): Promise<string> => {
        const implementation = tools.get(tool);
        if (implementation === undefined) throw new Error(tool);
        return (await caller(implementation)(tool, input)).forLLM;
      };
      expect((await call('glob', { pattern })).split('\n')).toEqual(found);
      expect(await call('glob', { pattern: `${name}/**`, path: 'src/app' })).toBe(found.join('\n'));
      expect(await call('glob', { pattern: `src/app/${escapeGlob(name)}/*.tsx` })).toBe(inside);
      expect(await call('search_text', { query: 'needle', glob: pattern })).toBe(
        found.map((path) => `${path}:1: needle`).join('\n'),
      );
      const listed: string[] = [];
      for await (const path of findFiles(workspace, { pattern, signal })) listed.push(path);
      expect(listed).toEqual(found);
    }
  });
});

test('where no such name exists, brackets and braces are what they stand for to readers', async () => {
  verifies('toolbox.files.literal');
  const workspace = memoryWorkspace({
    'src/l/a.ts': '',
    'src/m/a.tsx': '',
    'src/[id]/[id].ts': '',
    'src/[id]/i.ts': '',
  });
  const found = async (pattern: string) => {
    const paths: string[] = [];
    for await (const path of findFiles(workspace, { pattern })) paths.push(path);
    return paths;
  };
  expect(await found('src/[lm]/a.{ts,tsx}')).toEqual(['src/l/a.ts', 'src/m/a.tsx']);
  expect(await found('src/[id]/[id].{ts,tsx}')).toEqual(['src/[id]/[id].ts', 'src/[id]/i.ts']);
  expect(await found('src/[id]/[id].ts')).toEqual(['src/[id]/[id].ts']);
  // Below `**` both are shown.
  expect(await found('**/[id].ts')).toEqual(['src/[id]/[id].ts', 'src/[id]/i.ts']);
  expect(await found('[id].ts')).toEqual(['src/[id]/[id].ts', 'src/[id]/i.ts']);
});

test('a folder named * or ** does not hide the others from a glob', async () => {
  verifies('toolbox.files.literal');
  const workspace = memoryWorkspace({ '**/a.ts': '', '*/a.ts': '', 'src/a.ts': '' });
  const paths: string[] = [];
  for await (const path of findFiles(workspace, { pattern: '*/a.ts' })) paths.push(path);
  expect(paths).toEqual(['*/a.ts', '**/a.ts', 'src/a.ts']);
});

test('a rule that denies mixes both readings within a name, and is not weakened by too many of them', () => {
  verifies('toolbox.permissions.literal');
  const matches = compileEitherGlob('pages/[id].{ts,tsx}');
  expect(['pages/[id].ts', 'pages/i.tsx', 'pages/[id].{ts,tsx}', 'pages/x.ts'].map(matches)).toEqual([
    true,
    true,
    true,
    false,
  ]);
  const many = '[ab]'.repeat(30);
  expect([many, 'ab'.repeat(15)].map(compileEitherGlob(many))).toEqual([true, true]);
  const bars = permissions([{ allow: '*' }, { deny: 'edit_file(src/a|b/**)' }]);
  expect(['src/a|b/c', 'b/c', 'src/a'].map((path) => bars.decide('edit_file', { path }).verdict)).toEqual([
    'deny',
    'deny',
    'deny',
  ]);
});

test('alternatives of a rule that allows are written with |, not with braces', () => {
  verifies('toolbox.permissions.literal');
  const of = (allow: string, path: string) => permissions([{ allow }]).decide('edit_file', { path }).verdict;
  expect(of('edit_file(*.{ts,tsx})', 'a.ts')).toBe('ask');
  expect(of('edit_file(*.ts|*.tsx)', 'a.tsx')).toBe('allow');
  expect(of('fetch_url(https://{a,b}.example.com/{x,y}/**)', 'https://a.example.com/x/1')).toBe('ask');
});

test('what a workspace denies is also what equals it read literally', async () => {
  verifies('toolbox.permissions.literal');
  const above = realpathSync.native(folderWith({ 'real/src/a.ts': '', 'real/src/b.ts': '', 'real/c.ts': '' }));
  const [folder, link] = [join(above, 'real'), join(above, 'link')];
  symlinkSync(folder, link, 'junction');
  const globs = ['src//a.ts', 'src/x/../a.ts', './src/./a.ts', join(folder, 'src/a.ts'), join(link, 'src/a*')];
  for (const glob of globs) {
    const workspace = await createWorkspace({ root: link, deny: [glob.replaceAll('\\', '/')] });
    const denied = ['src/a.ts', 'src/b.ts', 'c.ts'].filter((path) => !workspace.allows('read', path));
    expect([glob, denied]).toEqual([glob, ['src/a.ts']]);
  }
  const named = memoryWorkspace({}, { deny: [String.raw`a\b.ts`] });
  expect(named.allows('read', String.raw`a\b.ts`)).toBe(false);
});
