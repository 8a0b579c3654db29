const MAX_NAMED = 20;

/** Collects files with why something was not done with them, and says it in one sentence a reason. */
export interface SkippedFiles {
  add(why: string, path: string): void;
  sentences(): readonly string[];
  /** All of them. */
  paths(): ReadonlySet<string>;
}

/** Creates an empty collection. */
export function createSkippedFiles(): SkippedFiles {
  const skipped = new Map<string, { readonly paths: string[]; count: number }>();
  const all = new Set<string>();
  return {
    add(why, path) {
      all.add(path);
      const known = skipped.get(why) ?? { paths: [], count: 0 };
      known.count += 1;
      if (known.paths.length < MAX_NAMED) known.paths.push(path);
      skipped.set(why, known);
    },
    sentences: () => [...skipped].map(([why, { paths, count }]) => `${why}: ${nameFiles(paths, count)}.`),
    paths: () => all,
  };
}

/** The first names of some files, and how many more there are. */
export function nameFiles(paths: readonly string[], count = paths.length): string {
  const shown = paths.slice(0, MAX_NAMED).map((path) => JSON.stringify(path));
  return `${shown.join(', ')}${count > shown.length ? ` and ${count - shown.length} more` : ''}`;
}
