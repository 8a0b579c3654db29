import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { changesets } from '../rules/changesets.ts';
import { tree } from './fixture-tree.ts';

test('a public surface that changed since the last release needs a changeset', () => {
  verifies('release.changesets');
  const root = tree({ 'packages/a/api.txt': 'f\n', '.changeset/README.md': '' });
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      stdio: 'pipe',
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
  expect(changesets(root)).toHaveLength(1);
  git('tag', '@kernel/protocol@1.0.0');
  expect(changesets(root)).toEqual([]);
  writeFileSync(join(root, 'packages/a/api.txt'), 'g\n');
  expect(changesets(root)).toEqual([expect.objectContaining({ file: 'packages/a/api.txt' })]);
  writeFileSync(join(root, '.changeset/new-name.md'), '---\n---\n');
  expect(changesets(root)).toEqual([]);
});
