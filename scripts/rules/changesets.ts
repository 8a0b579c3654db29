import { apiChanges, deprecationsIn, isBreaking, type ApiChange } from '../lib/api-text.ts';
import type { Problem, Rule } from '../lib/problem.ts';
import { publishedFolders, readManifest } from '../lib/projects.ts';
import { bumpFor, parseVersion } from '../lib/versions.ts';
import { BUMPS, largerBump, waitingChangesets, type Bump, type Changeset } from '../release/changeset-files.ts';
import { readText } from '../lib/read-text.ts';

/** The public surface of a package at its last release, beside `api.txt`. `pnpm version-packages` writes it; a package without it was never released. */
export const RELEASED = 'api.released.txt';

/**
 * Changesets: what a package exports differs from its last release only with a waiting changeset for that package, as large as the difference
 * (`docs/versioning.md`), in which every removed export is named; only what the last release had deprecated is removed. A changeset has a text, and
 * names packages that are published.
 */
export const changesets: Rule = (root): readonly Problem[] => {
  const waiting = waitingChangesets(root);
  return [
    ...waiting.flatMap((changeset) => faultsOf(root, changeset)),
    ...publishedFolders(root).flatMap((folder) => {
      const { name, version = '0.0.0' } = readManifest(root, folder) as Published;
      const released = readText(root, `${folder}/${RELEASED}`);
      const changes = apiChanges(released, readText(root, `${folder}/api.txt`));
      const told = waiting.filter(({ bumps }) => bumps.has(name));
      const problem = (message: string): Problem => ({ rule: 'changesets', file: `${folder}/api.txt`, message });
      const needed = changes
        .map((change) => bumpFor(parseVersion(version), isBreaking(change)))
        .reduce<Bump>(largerBump, 'none');
      const given = told.map(({ bumps }) => bumps.get(name) ?? 'none').reduce<Bump>(largerBump, 'none');
      const removed = changes.filter((change) => change.kind === 'removed');
      const announced = new Set(deprecationsIn(released).map((each) => each.name));
      return [
        ...(BUMPS.indexOf(given) < BUMPS.indexOf(needed)
          ? [
              problem(
                `${summaryOf(changes)} since the last release: ${name} needs a changeset of size ${needed}, and has ${given}. Run: pnpm changeset`,
              ),
            ]
          : []),
        ...removed
          .filter((change) => !isNamed(change, told))
          .map((change) => problem(`${change.name} is gone and no changeset of ${name} says so by its name.`)),
        ...removed
          .filter((change) => !announced.has(change.name))
          .map((change) => problem(`${change.name} is gone, and no release has deprecated it: deprecate it first.`)),
      ];
    }),
  ];
};

/** What is wrong with a changeset, whatever the packages changed. */
function faultsOf(root: string, { file, bumps, text }: Changeset): readonly Problem[] {
  const manifests = publishedFolders(root).map((folder) => readManifest(root, folder) as Published);
  const problem = (message: string): Problem => ({ rule: 'changesets', file, message });
  const unknown = [...bumps.keys()].filter((name) => !manifests.some((each) => each.name === name));
  const isFirstMajor = manifests.some(({ version = '0.0.0' }) => parseVersion(version)[0] === 0);
  return [
    ...(text.trim() === '' ? [problem('says nothing: write the symptom, the cause and what stays the same.')] : []),
    ...unknown.map((name) => problem(`names ${name}, which is no published package.`)),
    ...(isFirstMajor && [...bumps.values()].includes('major') && !text.includes('1.0.0')
      ? [
          problem(
            'asks for a major release: before 1.0.0, a breaking change is minor. If 1.0.0 is meant, name it in the text.',
          ),
        ]
      : []),
  ];
}

interface Published {
  readonly name: string;
  readonly version?: string;
}

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
