import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiChanges, isBreaking, type ApiChange } from '../lib/api-text.ts';
import type { Problem, Rule } from '../lib/problem.ts';
import { publishedFolders, readManifest } from '../lib/projects.ts';
import { bumpFor, parseVersion } from '../lib/versions.ts';
import { BUMPS, largerBump, waitingChangesets, type Bump, type Changeset } from '../release/changeset-files.ts';

/** The public surface of a package at its last release, beside `api.txt`. `pnpm version-packages` writes it; a package without it was never released. */
export const RELEASED = 'api.released.txt';

/**
 * Changesets: what a package exports differs from its last release only with a waiting changeset for that package, as large as the difference
 * (`docs/versioning.md`), in which every removed export is named.
 */
export const changesets: Rule = (root): readonly Problem[] => {
  const waiting = waitingChangesets(root);
  return publishedFolders(root).flatMap((folder) => {
    const { name, version = '0.0.0' } = readManifest(root, folder) as { readonly name: string; version?: string };
    const changes = apiChanges(read(root, `${folder}/${RELEASED}`), read(root, `${folder}/api.txt`));
    const told = waiting.filter(({ bumps }) => bumps.has(name));
    const problem = (message: string): Problem => ({ rule: 'changesets', file: `${folder}/api.txt`, message });
    const needed = changes
      .map((change) => bumpFor(parseVersion(version), isBreaking(change)))
      .reduce<Bump>(largerBump, 'none');
    const given = told.map(({ bumps }) => bumps.get(name) ?? 'none').reduce<Bump>(largerBump, 'none');
    const untold = changes.filter((change) => change.kind === 'removed' && !isNamed(change, told));
    return [
      ...(BUMPS.indexOf(given) < BUMPS.indexOf(needed)
        ? [
            problem(
              `${summaryOf(changes)} since the last release: ${name} needs a changeset of size ${needed}, and has ${given}. Run: pnpm changeset`,
            ),
          ]
        : []),
      ...untold.map((change) => problem(`${change.name} is gone and no changeset of ${name} says so by its name.`)),
    ];
  });
};

function isNamed({ name }: ApiChange, told: readonly Changeset[]): boolean {
  const word = name.slice(name.indexOf(' ') + 1);
  return told.some(({ text }) => text.split(/[^\w$]+/).includes(word));
}

function summaryOf(changes: readonly ApiChange[]): string {
  const worst = changes.filter(isBreaking);
  const [first] = worst.length > 0 ? worst : changes;
  return changes.length === 1
    ? `${first?.name} was ${first?.kind}`
    : `${changes.length} exports differ, of which ${first?.name} was ${first?.kind},`;
}

function read(root: string, file: string): string {
  return existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
}
