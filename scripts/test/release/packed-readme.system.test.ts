import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { linksOf } from '../../lib/links.ts';
import { publishedFolders } from '../../lib/projects.ts';
import { packageDocs, packedReadme, restoreReadme, writePackedReadme } from '../../release/package-docs.ts';
import { replaceInTarball } from '../../release/replace-in-tarball.ts';
import { requireCleanTree } from '../../release/tree-state.ts';
import { committed, tree } from '../fixture-tree.ts';

const repository = resolve(import.meta.dirname, '../../..');

describe('the README of a tarball', () => {
  test('links to what is packed, sources included, and has the text of every other link', () => {
    verifies('docs.packed');
    const text = [
      'How to: [use a](../../docs/guides/use-a.md#x), [codes](../../docs/errors.md), [b](../b), [a](../a).',
      '![a picture](../../docs/pictures/a.svg) [`src/x`](src/x) [requirements](../../docs/requirements)',
      '`[code](../b)`\n',
    ].join('\n');
    const root = tree({ 'packages/a/README.md': text, 'docs/guides/use-a.md': '' });
    expect(packedReadme(root, 'packages/a', text)).toBe(
      [
        'How to: [use a](docs/guides/use-a.md#x), [codes](errors.md), b, [a](README.md).',
        'a picture [`src/x`](src/x) requirements',
        '`[code](../b)`\n',
      ].join('\n'),
    );
  });

  test('stands in for the committed one while `pnpm pack` runs, and no other change of it is lost', () => {
    verifies('docs.packed', 'release.clean');
    const text = 'How to: [use a](../../docs/guides/use-a.md).\n';
    const root = committed({ 'packages/a/README.md': text, 'docs/guides/use-a.md': '' });
    const file = join(root, 'packages/a/README.md');
    writePackedReadme(root, 'packages/a');
    expect(readFileSync(file, 'utf8')).toBe('How to: [use a](docs/guides/use-a.md).\n');
    restoreReadme(root, 'packages/a');
    expect(readFileSync(file, 'utf8')).toBe(text);
    restoreReadme(root, 'packages/a');
    requireCleanTree(root);
    writeFileSync(file, 'mine\n');
    restoreReadme(root, 'packages/a');
    expect(readFileSync(file, 'utf8')).toBe('mine\n');
  });

  test('of every package leads to something', () => {
    verifies('docs.packed');
    for (const folder of publishedFolders(repository)) {
      const readme = packedReadme(repository, folder, readFileSync(join(repository, folder, 'README.md'), 'utf8'));
      const packed = new Set([...packageDocs(repository, folder).keys(), 'README.md', 'LICENSE']);
      for (const { target } of linksOf(readme))
        expect(packed.has(target) || target.startsWith('src'), `${folder}: ${target}`).toBe(true);
    }
  });

  test.each([10, 511, 512, 513, 5000])('of %d bytes takes the place of another one, and the rest stays', (size) => {
    verifies('docs.packed');
    const root = tree({ 'package/a.js': 'a'.repeat(700), 'package/README.md': 'old\n', 'package/z.js': 'z' });
    const tarball = join(root, 'a.tgz');
    execFileSync('tar', ['-czf', tarball, '-C', root, 'package/a.js', 'package/README.md', 'package/z.js']);
    replaceInTarball(tarball, 'package/README.md', (text) => `${text}${'é'.repeat(size)}`);
    const read = (name: string): string => execFileSync('tar', ['-xzOf', tarball, name], { encoding: 'utf8' });
    expect(read('package/README.md')).toBe(`old\n${'é'.repeat(size)}`);
    expect(read('package/a.js')).toBe('a'.repeat(700));
    expect(read('package/z.js')).toBe('z');
    expect(() => replaceInTarball(tarball, 'package/none.md', String)).toThrow('has no package/none.md');
  });
});
