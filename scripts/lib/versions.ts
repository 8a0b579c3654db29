import type { Bump } from '../release/changeset-files.ts';

/** The numbers of a version. */
export type Version = readonly [major: number, minor: number, patch: number];

/** Reads `1.2.3`; a prerelease is read as its release. Throws for anything else. */
export function parseVersion(text: string): Version {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(text) ?? [];
  if (patch === undefined) throw new Error(`"${text}" is not a version such as 1.2.3.`);
  return [Number(major), Number(minor), Number(patch)];
}

/** The version that a change of this size leads to. */
export function nextVersion([major, minor, patch]: Version, bump: Bump): Version {
  if (bump === 'major') return [major + 1, 0, 0];
  if (bump === 'minor') return [major, minor + 1, 0];
  return [major, minor, bump === 'patch' ? patch + 1 : patch];
}

/** The smallest bump that tells users of a version about a change: before 1.0.0, npm takes a minor as incompatible and a patch as compatible. */
export function bumpFor([major]: Version, isBreaking: boolean): Bump {
  if (major === 0) return isBreaking ? 'minor' : 'patch';
  return isBreaking ? 'major' : 'minor';
}

/** Whether npm's `^` range of the one accepts the other: the same major, and before 1.0.0 the same minor. */
export function areCompatible(a: Version, b: Version): boolean {
  return a[0] === b[0] && (a[0] > 0 || a[1] === b[1]);
}
