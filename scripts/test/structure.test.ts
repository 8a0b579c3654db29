import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import type { Rule } from '../lib/problem.ts';
import { publicDeclarations } from '../lib/declarations.ts';
import { classes } from '../rules/classes.ts';
import { folders, MAX_FILES } from '../rules/folders.ts';
import { internal } from '../rules/internal.ts';
import { layers } from '../rules/layers.ts';
import { DOCUMENTS, manifests, GUARDS, writeRepository } from '../rules/manifests.ts';
import { codeMap } from '../rules/code-map.ts';
import { duplicateCode } from '../rules/duplicate-code.ts';
import { size } from '../rules/size.ts';
import { tree } from './fixture-tree.ts';
const messages = (rule: Rule, files: Readonly<Record<string, string>>) =>
  rule(tree(files)).map(({ message }) => message);
const a = 'packages/tools/src/a.ts';
const b = 'packages/tools/src/b.ts';

test('a number that grows is refused until the file of sizes says so, and one that shrinks is not', () => {
  verifies('architecture.size');
  const names = { '@kernel/tools': 60 };
  const root = tree({ 'scripts/size.json': JSON.stringify({ lines: { 'packages/tools': 100 }, names }) });
  const growth = (lines: number) =>
    size(root, { 'files of a prompt': {}, lines: { 'packages/tools': lines }, names }).map(({ message }) => message);
  expect(growth(101)).toEqual([expect.stringMatching(/^lines of packages\/tools grew from 100 to 101\./)]);
  expect(growth(99)).toEqual([]);
});

test('one file too many in a folder is refused', () => {
  verifies('architecture.folders');
  const files = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`packages/tools/src/f${index}.ts`, '']));
  expect(messages(folders, files(MAX_FILES))).toEqual([]);
  expect(messages(folders, files(MAX_FILES + 1))).toEqual([expect.stringContaining(`${MAX_FILES + 1} files`)]);
});

test.each(['class A {}', 'export abstract class A {}', 'const a = class {};'])('%s is refused', (text) => {
  expect(messages(classes, { [a]: text })).toHaveLength(1);
  expect(messages(classes, { 'packages/protocol/src/error.ts': text })).toEqual([]);
});

test('a relative import without its ending is refused', () => {
  expect(messages(layers, { [a]: "import { b } from './b';" })).toEqual(['"./b" needs its ending: .ts.']);
});

describe('internal', () => {
  const manifest = JSON.stringify({ name: '@kernel/internal', private: true });
  const sources = { 'packages/internal/package.json': manifest, 'packages/internal/src/json.ts': 'export {};\n' };
  const entry = { types: './dist/index.d.ts', default: './dist/index.js' };
  const user = (fields: object) => JSON.stringify({ name: '@kernel/tools', exports: { '.': entry }, ...fields });

  test.each([
    ['a file that is not in the list', { 'packages/internal/src/strings.ts': '' }, 'frozen list'],
    ['a folder', { 'packages/internal/src/more/json.ts': '' }, 'frozen list'],
    ['being published', { 'packages/internal/package.json': '{"name":"@kernel/internal"}' }, 'private'],
    [
      'a package that depends on it',
      { 'packages/tools/package.json': user({ dependencies: { '@kernel/internal': '^1.0.0' } }) },
      'devDependency',
    ],
    [
      'a built module that imports it',
      {
        'packages/tools/package.json': user({}),
        'packages/tools/dist/chunks/x.js': "import { nearest } from '@kernel/internal';",
      },
      'users cannot install',
    ],
    [
      'a declaration that imports it, however deep',
      {
        'packages/tools/package.json': user({}),
        'packages/tools/dist/index.d.ts': "export type { A } from './inner/a.ts';",
        'packages/tools/dist/inner/a.d.ts': "import type { Redactor } from '@kernel/internal';",
      },
      'users cannot install',
    ],
  ])('refuses %s', (_name, files, message) => {
    verifies('architecture.internal');
    const found = messages(internal, { ...sources, ...files });
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]).toContain(message);
  });

  test('keeps the declarations that an entry point leads to, and no other', () => {
    const root = tree({
      'packages/tools/package.json': user({}),
      'packages/tools/dist/index.d.ts': "export type { A } from './inner/a.ts';",
      'packages/tools/dist/inner/a.d.ts': 'export interface A { readonly b: import("./b.ts").B }',
      'packages/tools/dist/hidden.d.ts': 'export {};',
    });
    expect([...publicDeclarations(root, 'packages/tools')].map((file) => file.slice(root.length + 1))).toEqual([
      'packages/tools/dist/index.d.ts',
      'packages/tools/dist/inner/a.d.ts',
    ]);
  });

  test('allows a private package that is bundled', () => {
    const files = {
      ...sources,
      'packages/tools/package.json': user({ devDependencies: { '@kernel/internal': 'workspace:^' } }),
      'packages/tools/dist/index.d.ts': 'export {};',
    };
    expect(messages(internal, files)).toEqual([]);
  });
});

describe('shared lines', () => {
  const lines = Array.from({ length: 6 }, (_, index) => `  doWork(${index});`);
  const text = (body: readonly string[]) =>
    `import { x } from './x.ts';\n\n/** Doc. */\nfunction f() {\n${body.join('\n')}\n}\n`;

  test('six equal lines in two packages are refused, whatever stands between them', () => {
    verifies('architecture.duplicateCode');
    const spaced = lines.join('\n\n  // a comment\n').split('\n');
    expect(messages(duplicateCode, { [a]: text(lines), 'packages/agent/src/a.ts': text(spaced) })).toEqual([
      expect.stringContaining('repeats 6 lines of'),
    ]);
  });

  test('five lines, and six within one package, are allowed', () => {
    const five = lines.slice(1);
    expect(messages(duplicateCode, { [a]: text(five), 'packages/agent/src/a.ts': `${five.join('\n')}\n` })).toEqual([]);
    expect(messages(duplicateCode, { [a]: text(lines), [b]: text(lines) })).toEqual([]);
  });
});

describe('maps', () => {
  const source = { 'packages/tools/src/schema/a.ts': '' };

  test('a folder that the README of its package leaves out is refused', () => {
    verifies('architecture.map');
    expect(messages(codeMap, { ...source, 'packages/tools/README.md': 'src/call' })).toEqual([
      'does not mention src/schema.',
    ]);
    expect(messages(codeMap, { ...source, 'packages/tools/README.md': '`src/schema`' })).toEqual([]);
  });

  test('a link to nothing is refused, but not one in a code fence or to the web', () => {
    const text = '[a](missing.md) [b](./there.md#part) [c](https://example.com)\n```\n[d](missing.md)\n```\n';
    expect(messages(codeMap, { 'docs/a.md': text, 'docs/there.md': '# Part\n' })).toEqual([
      'links to missing.md, which does not exist.',
    ]);
  });
});

describe('manifests', () => {
  const top = { name: 'kernel', private: true, license: 'MIT', engines: { node: '>=22.19' } };
  const own = {
    name: '@kernel/tools',
    license: 'MIT',
    engines: { node: '>=22.19' },
    scripts: GUARDS,
    files: ['dist', ...DOCUMENTS],
  };
  const files = (root: object, manifest: object) => ({
    'README.md': 'Needs Node 22.19.',
    'package.json': JSON.stringify(root),
    'packages/tools/package.json': JSON.stringify(manifest),
  });

  test.each([
    ['another Node', files(top, { ...own, engines: { node: '>=20' } })],
    ['another licence', files(top, { ...own, license: 'ISC' })],
    ['a repository that the root does not have', files(top, { ...own, repository: { url: 'x' } })],
    ['none where the root has one', files({ ...top, repository: { type: 'git', url: 'x' } }, own)],
    [
      'a dependency that SECURITY.md does not list',
      files(top, { ...own, dependencies: { left: '1', '@kernel/x': '1' } }),
    ],
    ['no guard before packing', files(top, { ...own, scripts: { ...GUARDS, prepack: 'true' } })],
    ['nothing to do after packing', files(top, { ...own, scripts: { ...GUARDS, postpack: '' } })],
    ['no guard before publishing', files(top, { ...own, scripts: { ...GUARDS, prepublishOnly: '' } })],
    ['documents that are not packed', files(top, { ...own, files: ['dist'] })],
    ['a README that is silent about Node', { ...files(top, own), 'README.md': 'Needs Node.' }],
  ])('refuse %s', (_name, given) => {
    verifies('architecture.manifests');
    expect(messages(manifests, given)).toHaveLength(1);
  });

  test('get the repository of the root, each with its folder, and lose it again with the root', () => {
    const root = tree(files({ ...top, repository: { type: 'git', url: 'git+https://example.com/x.git' } }, own));
    writeRepository(root);
    expect(manifests(root)).toEqual([]);
    const without = tree(files(top, { ...own, repository: { type: 'git', url: 'x', directory: 'packages/tools' } }));
    writeRepository(without);
    expect(manifests(without)).toEqual([]);
  });
});
