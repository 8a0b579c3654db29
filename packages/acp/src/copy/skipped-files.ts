const MAX_NAMED = 20;

/** Files with why something was not done with them. */
export type SkippedFiles = ReturnType<typeof createSkippedFiles>;

/** Creates a collection of files with why something was not done with them, which says it in one sentence a reason. */
export function createSkippedFiles() {
  const skipped = new Map<string, Set<string>>();
  return {
    add(why: string, path: string): void {
      skipped.set(why, (skipped.get(why) ?? new Set()).add(path));
    },
    sentences: (): readonly string[] => [...skipped].map(([why, paths]) => `${why}: ${nameFiles([...paths])}.`),
    /** Returns all of them. */
    paths: (): ReadonlySet<string> => new Set([...skipped.values()].flatMap((paths) => [...paths])),
  };
}

/** Names the first of some files, and how many more there are. */
export function nameFiles(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_NAMED).map((path) => JSON.stringify(path));
  return `${shown.join(', ')}${paths.length > shown.length ? ` and ${paths.length - shown.length} more` : ''}`;
}
