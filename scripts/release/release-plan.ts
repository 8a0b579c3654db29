/** A package of a release: its tarball's integrity, and that of what the registry has under the same version, if anything. */
export interface PackedVersion {
  /** `name@version`. */
  readonly id: string;
  readonly integrity: string;
  readonly published: string | undefined;
}

/** The commit that the release is made from, and the one that has its tag, if any. */
export interface ReleaseCommits {
  readonly head: string;
  readonly tag: string;
  readonly tagged: string | undefined;
}

/** What a release does. */
export interface ReleasePlan {
  /** The ids to publish, in the given order. */
  readonly publish: readonly string[];
  readonly isTagged: boolean;
  /** A line for each package that is not published. */
  readonly notes: readonly string[];
}

/**
 * Decides what a release does. A release that broke off goes on, one that is complete has nothing to do, and one version is never published from two
 * states of the sources: throws if some packages of the version are published with other files than these, or from another commit.
 */
export function planRelease(packages: readonly PackedVersion[], { head, tag, tagged }: ReleaseCommits): ReleasePlan {
  const missing = packages.filter(({ published }) => published === undefined);
  const changed = packages.filter(({ published, integrity }) => published !== undefined && published !== integrity);
  const notes = packages
    .filter(({ published }) => published !== undefined)
    .map(
      (each) =>
        `${each.id}: was published before${changed.includes(each) ? ', with other files: a changeset would release the change' : ''}`,
    );
  // A commit without a changeset, such as a correction in a document, is not a release.
  if (missing.length === 0) return { publish: [], isTagged: tagged === undefined && changed.length === 0, notes };
  if (changed.length > 0)
    throw new Error(
      `Refusing to release: ${changed.map(({ id }) => id).join(', ')} ${changed.length === 1 ? 'was' : 'were'} published with other files. Run the job of that commit again, or add a changeset for a new version.`,
    );
  if (tagged !== undefined && tagged !== head)
    throw new Error(
      `Refusing to release: ${tag} is the tag of ${tagged}, and this is ${head}. Add a changeset for a new version.`,
    );
  return { publish: missing.map(({ id }) => id), isTagged: tagged === undefined, notes };
}
