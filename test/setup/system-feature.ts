/** What a system may have or not, such as bubblewrap or namespaces: it is neither part of this repository nor installed by it. */
import type { SharedData } from './shared-data.ts';

/** Says loudly when a feature does not work here, and marks the tests that are skipped for it. `rows` are those rows of `docs/requirements` that only it can prove. */
export function systemFeature(name: string, works: boolean, rows: readonly string[] = []): SharedData {
  // oxlint-disable-next-line no-console -- a run without the feature must say so
  if (!works) console.warn(`SYSTEM FEATURE ABSENT: ${name} does not work here, so its tests are skipped.`);
  return {
    path: name,
    present: works,
    options: { skip: !works, meta: works ? {} : { missingData: name, unproven: rows } },
  };
}
