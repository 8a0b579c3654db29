import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { publishedFolders, readManifest, workspaceFolders } from '../../lib/projects.ts';
import { changedFiles, removeIgnored, requireCleanTree } from '../../release/tree-state.ts';
import { committed } from '../fixture-tree.ts';

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
