import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The size of a change, from nothing to the largest. */
export const BUMPS = ['none', 'patch', 'minor', 'major'] as const;

/** How large a change of a package is, as a changeset says it. */
export type Bump = (typeof BUMPS)[number];

/** A changeset: what it says of which packages. */
export interface Changeset {
  /** Relative to the root. */
  readonly file: string;
  readonly bumps: ReadonlyMap<string, Bump>;
  readonly text: string;
}

/** The changesets that the next release will describe, sorted by name. */
export function waitingChangesets(root: string): readonly Changeset[] {
  const files = globSync('.changeset/*.md', { cwd: root }).filter((file) => !file.endsWith('README.md'));
  return files.toSorted().map((file) => readChangeset(root, file));
}

function readChangeset(root: string, file: string): Changeset {
  const [, head = '', text = ''] =
    /^---\r?\n([\s\S]*?)---\r?\n([\s\S]*)$/.exec(readFileSync(join(root, file), 'utf8')) ?? [];
  const bumps = [...head.matchAll(/^['"]?([^'":]+)['"]?:\s*['"]?(\w+)['"]?\s*$/gm)].map(
    ([, name = '', bump = '']): [string, Bump] => [name, BUMPS.find((each) => each === bump) ?? 'none'],
  );
  return { file, bumps: new Map(bumps), text };
}

/** The larger of two changes. */
export function largerBump(a: Bump, b: Bump): Bump {
  return BUMPS.indexOf(a) >= BUMPS.indexOf(b) ? a : b;
}
