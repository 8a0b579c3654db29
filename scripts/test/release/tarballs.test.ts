import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { publishedFolders, readManifest } from '../../lib/projects.ts';
import { apiPagesOf } from '../../lib/api-pages.ts';
import { guidesOf, guidesOfNoPackage, packageDocs, writePackageDocs } from '../../release/package-docs.ts';
import { tarballFaults } from '../../release/tarball-faults.ts';
import { requireBuilt, targetsOf } from '../../release/tree-state.ts';
import { tree } from '../fixture-tree.ts';

const repository = resolve(import.meta.dirname, '../../..');

describe('packing is refused', () => {
  test('of a package that is not built, with the names of the files', () => {
    verifies('release.clean');
    const manifest = {
      bin: { a: './dist/cli.js' },
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './*': './dist/*.js' },
    };
    expect(targetsOf(manifest)).toEqual(['./dist/index.d.ts', './dist/index.js', './dist/cli.js']);
    const root = tree({ 'dist/index.js': '', 'dist/cli.js': '' });
    expect(() => requireBuilt(root, 'a', manifest)).toThrow('it is not built, ./dist/index.d.ts is missing');
    writeFileSync(join(root, 'dist/index.d.ts'), '');
    requireBuilt(root, 'a', manifest);
  });
});

describe('the documents of a package', () => {
  const files = {
    'docs/errors.md': '# Error codes\n\nSee [a](guides/use-a.md) and [the map](../ARCHITECTURE.md).\n',
    'docs/guides/use-a.md': [
      '# Use a',
      '<!-- snippet: examples/01.ts -->',
      '[codes](../errors.md#x), [it](../../packages/a/README.md), [other](other.md), [web](https://example.com/x.md)',
      '![a picture](../pictures/a.svg)\n',
    ].join('\n\n'),
    'docs/guides/other.md': '# Other\n',
    'packages/a/README.md': '# a\n\nHow to: [use a](../../docs/guides/use-a.md).\n',
    'packages/a/api.txt':
      '# .\n\n## f\nexport declare function f(): void;\n\n# ./web\n\n## g\nexport declare const g: 1;\n',
    'packages/a/package.json': '{"name":"@kernel/a","description":"Does a."}',
  };

  test('are its guides, the error codes and an index, whose links lead to what is packed', () => {
    verifies('release.contents');
    const docs = packageDocs(tree(files), 'packages/a');
    expect([...docs.keys()]).toEqual(['errors.md', 'docs/guides/use-a.md', 'llms.txt']);
    expect(docs.get('errors.md')).toContain('See [a](docs/guides/use-a.md) and the map.');
    expect(docs.get('docs/guides/use-a.md')).toBe(
      '# Use a\n\n[codes](../../errors.md#x), [it](../../README.md), other, [web](https://example.com/x.md)\n\na picture\n',
    );
    expect(docs.get('llms.txt')).toBe(
      [
        '# @kernel/a',
        '> Does a.',
        '## Entry points',
        '- `@kernel/a`: `f`\n- `@kernel/a/web`: `g`',
        '## Documents',
        '- [README](README.md): what it is for, an example, its entry points\n- [Use a](docs/guides/use-a.md)\n- [Error codes](errors.md): every code, who gets it, when, and what to do\n',
      ].join('\n\n'),
    );
  });

  test('have the pages of its entry points, once the API reference was generated', () => {
    verifies('docs.api');
    const root = tree({
      ...files,
      'packages/a/package.json':
        '{"name":"@kernel/a","exports":{".":{"types":"./a.d.ts"},"./web":{"types":"./web.d.ts"},"./package.json":"./package.json"}}',
      'docs/api/a.md': '<!-- Made -->\n\n# @kernel/a\n\n[`Other`](b.md#other), [`Server`](a-web.md#server)\n',
      'docs/api/a-web.md': '# @kernel/a/web\n',
      'docs/api/b.md': '# @kernel/b\n',
    });
    expect(apiPagesOf(root, 'packages/a')).toEqual(['docs/api/a.md', 'docs/api/a-web.md']);
    const docs = packageDocs(root, 'packages/a');
    expect(docs.get('docs/api/a.md')).toContain('`Other`, [`Server`](a-web.md#server)');
    expect(docs.get('llms.txt')).toContain('- [@kernel/a/web](docs/api/a-web.md)');
    expect([...docs.keys()]).not.toContain('docs/api/b.md');
  });

  test('replace those of an earlier state', () => {
    verifies('release.contents');
    const root = tree({ ...files, 'packages/a/docs/guides/gone.md': '', 'packages/a/errors.md': 'old' });
    writePackageDocs(root, 'packages/a');
    expect(globSync('docs/guides/*', { cwd: join(root, 'packages/a') }).map((file) => basename(file))).toEqual([
      'use-a.md',
    ]);
    expect(readFileSync(join(root, 'packages/a/errors.md'), 'utf8')).toContain('# Error codes');
  });

  test('of this repository have every guide, and every link in them leads to something', () => {
    verifies('release.contents');
    expect(guidesOfNoPackage(repository)).toEqual([]);
    for (const folder of publishedFolders(repository)) {
      const docs = packageDocs(repository, folder);
      const packed = new Set([...docs.keys(), 'README.md', 'CHANGELOG.md']);
      for (const [file, text] of docs)
        for (const [, target = ''] of text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g))
          expect(packed, `${folder}/${file}`).toContain(join(dirname(file), target));
    }
  });
});

describe('a tarball', () => {
  const soundManifest = '{"name":"@kernel/a","version":"1.0.0","exports":{".":"./dist/index.js"}}';
  const sound: Readonly<Record<string, string>> = {
    'package.json': soundManifest,
    'dist/index.js': '',
    ...Object.fromEntries(
      ['README.md', 'LICENSE', 'CHANGELOG.md', 'errors.md', 'llms.txt', 'docs/guides/a.md'].map((file) => [file, 'x']),
    ),
  };
  const { 'CHANGELOG.md': _changes, ...silent } = sound;
  const { 'docs/guides/a.md': _guide, ...unguided } = sound;
  const { 'dist/index.js': _code, ...empty } = sound;

  test.each([
    ['without a changelog', silent, 'lacks CHANGELOG.md'],
    ['without its guide', unguided, 'lacks docs/guides/a.md'],
    [
      'with a map that leads to nothing',
      { ...sound, 'dist/index.js.map': '{"sources":["../src/a.ts"],"sourcesContent":[null]}' },
      'lacks the source ../src/a.ts',
    ],
    ['without its code', empty, 'lacks ./dist/index.js'],
    [
      'with a link to what it does not have',
      { ...sound, 'README.md': '[gone](../../docs/a.md)' },
      'links to ../../docs/a.md',
    ],
    ['with a test', { ...sound, 'src/a.test.ts': '' }, 'has src/a.test.ts'],
    ['with keys', { ...sound, '.npmrc': '' }, 'has .npmrc'],
    [
      'with the condition for sources',
      {
        ...sound,
        'package.json': soundManifest.replace('"./dist/index.js"', '{"@kernel/source":"./dist/index.js"}'),
      },
      'the condition @kernel/source',
    ],
  ])('%s is not released', (_name, files, fault) => {
    verifies('release.contents');
    expect(tarballFaults(tree(sound), ['docs/guides/a.md'])).toEqual([]);
    expect(tarballFaults(tree(files), ['docs/guides/a.md'])).toEqual([expect.stringContaining(fault)]);
  });

  test('has no condition, development dependency or script that only this repository can use', async () => {
    verifies('release.contents', 'release.exports');
    const file = new URL('../../../.pnpmfile.mjs', import.meta.url).href;
    const { hooks } = (await import(file)) as { hooks: { beforePacking: (manifest: object) => object } };
    for (const folder of publishedFolders(repository)) {
      const manifest = readManifest(repository, folder);
      const packed = hooks.beforePacking(manifest);
      expect(JSON.stringify(packed)).not.toContain('@kernel/source');
      expect(packed).not.toHaveProperty('devDependencies');
      expect(packed).not.toHaveProperty('scripts');
      const { dependencies, name } = manifest;
      expect(packed).toMatchObject(dependencies === undefined ? { name } : { name, dependencies });
    }
  });

  test('brings every guide that its README names', () => {
    verifies('release.contents');
    expect(guidesOf(repository, 'packages/mcp')).toEqual([
      'docs/guides/coming-from-mcp-sdk.md',
      'docs/guides/serve-tools-over-mcp.md',
      'docs/guides/use-mcp-servers.md',
      'docs/guides/write-a-server-that-scales.md',
    ]);
  });
});
