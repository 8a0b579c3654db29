import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deprecationsIn } from '../lib/api-text.ts';
import type { Problem, Rule } from '../lib/problem.ts';
import { publishedFolders, readManifest, sourceFiles } from '../lib/projects.ts';
import { areCompatible, nextVersion, parseVersion, type Version } from '../lib/versions.ts';
import { largerBump, waitingChangesets, type Bump } from '../release/changeset-files.ts';
import { RELEASED } from './changesets.ts';
import { readText } from '../lib/read-text.ts';

const TAG = /@deprecated\b(?: since (\d+\.\d+\.0): \S)?/g;

/**
 * Deprecations: `@deprecated since 0.4.0: use x.` names the minor release that announces it, and is removed with the next release that may break
 * programs (`docs/versioning.md`).
 */
export const deprecations: Rule = (root): readonly Problem[] => {
  const next = nextRelease(root);
  return [
    ...unannounced(root, next.join('.')),
    ...sourceFiles(root).flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return [...text.matchAll(TAG)].flatMap((match): readonly Problem[] => {
        const line = text.slice(0, match.index).split('\n').length;
        const message = faultOf(match[1], next);
        return message === undefined ? [] : [{ rule: 'deprecations', file, line, message }];
      });
    }),
  ];
};

/** The deprecations that the last release did not have, and that say another release than the next one. */
function unannounced(root: string, next: string): readonly Problem[] {
  return publishedFolders(root).flatMap((folder) => {
    const file = `${folder}/api.txt`;
    const released = readText(root, `${folder}/${RELEASED}`);
    if (released === '') return [];
    const known = new Set(deprecationsIn(released).map(({ name, since }) => `${name} ${since}`));
    return deprecationsIn(readText(root, file))
      .filter(({ name, since }) => since !== next && !known.has(`${name} ${since}`))
      .map(({ name, since }): Problem => ({
        rule: 'deprecations',
        file,
        message: `${name} is deprecated since ${since}, which its last release does not say: the next one is ${next}.`,
      }));
  });
}

function faultOf(since: string | undefined, next: Version): string | undefined {
  if (since === undefined) return 'write "@deprecated since 0.4.0: use x.", with the minor release that announces it.';
  const announced = parseVersion(since);
  const release = next.join('.');
  if (compare(announced, next) > 0)
    return `is deprecated since ${since}, but the next release is ${release}: a deprecation is announced in a minor release, by its changeset.`;
  if (!areCompatible(announced, next))
    return `is deprecated since ${since} and the next release is ${release}: remove it, and name it in a changeset.`;
  return undefined;
}

/** The version that the waiting changesets lead to: all packages have one. */
function nextRelease(root: string): Version {
  const bumps = waitingChangesets(root).flatMap((changeset) => [...changeset.bumps.values()]);
  const versions = publishedFolders(root).map((folder) => {
    const { version = '0.0.0' } = readManifest(root, folder) as { readonly version?: string };
    return parseVersion(version);
  });
  const current = versions.toSorted(compare).at(-1) ?? [0, 0, 0];
  return nextVersion(current, bumps.reduce<Bump>(largerBump, 'none'));
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
