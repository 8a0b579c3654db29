import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { manifestFaults, type PackedManifest } from '../lib/check-manifest.ts';
import { publishedFolders, readManifest } from '../lib/projects.ts';
import { closureOf } from '../lib/tarballs.ts';

// What scripts/rehearse.ts does with each tarball is too slow and too networked for a unit test; CI runs it. Here: that it bites.
const root = resolve(import.meta.dirname, '../..');
const sound: PackedManifest = {
  name: 'a',
  version: '1.2.3',
  dependencies: { '@kernel/protocol': '^1.2.3', undici: '^8.0.0' },
};

test.each([
  ['an unresolved range', { dependencies: { b: 'workspace:^' } }, 'workspace:^'],
  ['an unresolved catalog entry of a peer', { peerDependencies: { zod: 'catalog:peers' } }, 'catalog:peers'],
  ['a link to this machine', { dependencies: { b: 'file:../b' } }, 'file:../b'],
  ['no version', { version: '' }, 'version'],
  ['an install script', { scripts: { postinstall: 'node x.js' } }, 'postinstall'],
  ['four dependencies', { dependencies: { a: '1', b: '1', c: '1', d: '1' } }, '4 dependencies'],
] as [string, Partial<PackedManifest>, string][])('a tarball with %s is refused', (_name, wrong, fault) => {
  verifies('release.dependencies', 'release.publish');
  expect(manifestFaults(sound)).toEqual([]);
  expect(manifestFaults({ ...sound, ...wrong })).toEqual([expect.stringContaining(fault)]);
});

test('a package of many tools may have the dependencies that its decision record explains, and none more', () => {
  verifies('release.dependencies');
  const dependencies = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`d${index}`, '1']));
  expect(manifestFaults({ ...sound, name: '@kernel/toolbox', dependencies })).toEqual([]);
  expect(
    manifestFaults({ ...sound, name: '@kernel/toolbox', dependencies: { ...dependencies, d9: '1' } }),
  ).toHaveLength(1);
});

test('every published package brings along only what it needs of ours', () => {
  verifies('release.dependencies');
  expect([...closureOf(root, '@kernel/protocol')]).toEqual(['@kernel/protocol']);
  for (const name of ['@kernel/schema', '@kernel/providers', '@kernel/testing'])
    expect([...closureOf(root, name)]).toEqual([name, '@kernel/protocol']);
  for (const name of ['@kernel/tools', '@kernel/agent'])
    expect([...closureOf(root, name)].toSorted()).toEqual(['@kernel/protocol', '@kernel/schema', name].toSorted());
});

test('every published package has a program for its README that runs from its tarball, a licence, and exports with types', () => {
  verifies('release.packages', 'release.exports');
  const folders = publishedFolders(root);
  expect(folders.length).toBeGreaterThanOrEqual(6);
  for (const folder of folders) {
    for (const file of ['README.md', 'LICENSE', 'api.txt'])
      expect(existsSync(join(root, folder, file)), `${folder}/${file}`).toBe(true);
    const { exports = {} } = readManifest(root, folder);
    for (const [subpath, target] of Object.entries(exports)) {
      if (typeof target === 'string') continue;
      expect(Object.keys(target as object), `${folder} ${subpath}`).toEqual(['@kernel/source', 'types', 'default']);
    }
    if (exports['.'] === undefined) continue;
    const readme = readFileSync(join(root, folder, 'README.md'), 'utf8');
    expect(readme).toContain(`<!-- snippet: ${folder}/test/standalone.ts -->`);
  }
});
