import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { publishedFolders, readManifest, workspaceFolders } from '../../lib/projects.ts';
import { apiPagesOf } from '../../lib/api-pages.ts';
import { guidesOf, guidesOfNoPackage, packageDocs, writePackageDocs } from '../../release/package-docs.ts';
import { tarballFaults } from '../../release/tarball-faults.ts';
import { changedFiles, removeIgnored, requireBuilt, requireCleanTree, targetsOf } from '../../release/tree-state.ts';
import { committed, tree } from '../fixture-tree.ts';

const repository = resolve(import.meta.dirname, '../../..');

describe('packing is refused', () => {
  test('in a tree that differs from its commit, with the names of the files', () => {
    verifies('release.clean');
    const root = committed({ 'a.txt': 'a', '.gitignore': 'dist/\n' });
    expect(changedFiles(root)).toEqual([]);
    mkdirSync(join(root, 'dist'));
    writeFileSync(join(root, 'dist/index.js'), '');
    requireCleanTree(root);
    writeFileSync(join(root, 'b.txt'), 'b');
    writeFileSync(join(root, 'a.txt'), 'c');
    expect(() => requireCleanTree(root)).toThrow(
      'Refusing to pack: 2 files differ from the last commit (a.txt, b.txt)',
    );
  });

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

  test.each([
    ['with npm, which leaves workspace ranges', ['@kernel/tools', 'npm/11.0.0'], 'Run: pnpm pack'],
    ['of a package that is private', ['@kernel/internal', 'pnpm/12.0.0'], 'no published package has this name'],
  ])('%s', (_name, args, message) => {
    verifies('release.clean');
    const program = join(repository, 'scripts/prepack.ts');
    const refusal = (): unknown => execFileSync(process.execPath, [program, ...args], { stdio: 'pipe' });
    expect(refusal).toThrow(message);
  });
});

test('every published package has the guard before packing, and no other package is versioned', () => {
  verifies('release.clean', 'release.private');
  for (const folder of publishedFolders(repository))
    expect(readManifest(repository, folder)).toMatchObject({
      scripts: {
        prepack: expect.stringContaining('prepack-package'),
        postpack: expect.stringContaining('postpack-package'),
        prepublishOnly: expect.stringContaining('refuse-publish'),
      },
    });
  const root = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(root.scripts['refuse-publish']).toBe('node scripts/refuse-publish.ts');
  const refusal = (): unknown =>
    execFileSync(process.execPath, [join(repository, 'scripts/refuse-publish.ts')], { stdio: 'pipe' });
  expect(refusal).toThrow('Run: pnpm release');
  expect(root.scripts['prepack-package']).toMatch(/^pnpm install --frozen-lockfile .*&& node scripts\/prepack\.ts$/);
  const config = JSON.parse(readFileSync(join(repository, '.changeset/config.json'), 'utf8')) as object;
  expect(config).toMatchObject({ privatePackages: { version: false, tag: false } });
  const unpublished = workspaceFolders(repository).filter((folder) => !publishedFolders(repository).includes(folder));
  expect(unpublished).toContain('examples');
  for (const folder of unpublished)
    expect(readManifest(repository, folder)).toMatchObject({ private: true, name: expect.stringMatching(/internal/) });
});

test('what git ignores does not get into a tarball: it is removed from the folders that are packed', () => {
  verifies('release.clean');
  const root = committed({
    '.gitignore': 'dist/\npackages/*/docs/\n*.log\n',
    'packages/a/src/index.ts': '',
    'packages/a/test/a.ts': '',
  });
  const ignored = ['dist/old.js', 'dist/.env', 'docs/private.txt', 'src/debug.log'];
  for (const file of [...ignored, 'test/kept.log']) {
    mkdirSync(dirname(join(root, 'packages/a', file)), { recursive: true });
    writeFileSync(join(root, 'packages/a', file), 'x');
  }
  removeIgnored(root, 'packages/a');
  expect(ignored.filter((file) => existsSync(join(root, 'packages/a', file)))).toEqual([]);
  for (const file of ['src/index.ts', 'test/kept.log']) expect(existsSync(join(root, 'packages/a', file))).toBe(true);
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
