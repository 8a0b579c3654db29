import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import type { Problem, Rule } from '../lib/problem.ts';

/** Changesets: a change of any `api.txt` since the last release comes with a waiting changeset. */
export const changesets: Rule = (root): readonly Problem[] => {
  const waiting = globSync('.changeset/*.md', { cwd: root }).filter((file) => !file.endsWith('README.md'));
  if (waiting.length > 0) return [];
  const changed = changedSince(root, lastRelease(root));
  return changed.map((file) => ({
    rule: 'changesets',
    file,
    message: 'the public surface has changed since the last release and no changeset waits. Run: pnpm changeset',
  }));
};

/** The newest release tag that HEAD contains; before the first release, the empty tree. */
function lastRelease(root: string): string {
  try {
    return git(root, 'describe', '--tags', '--abbrev=0', '--match', '@kernel/protocol@*').trim();
  } catch {
    return git(root, 'hash-object', '-t', 'tree', '/dev/null').trim();
  }
}

function changedSince(root: string, base: string): readonly string[] {
  const names = git(root, 'diff', '--name-only', base, '--', 'packages/*/api.txt', 'apps/*/api.txt');
  return names.split('\n').filter((name) => name !== '');
}

function git(root: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
