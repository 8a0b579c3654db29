/** Data of tests that is not part of this repository: it lies in `shared/data` beside the checkout, or where the environment says. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

declare module 'vitest' {
  interface TaskMeta {
    /** The path of the absent data that the test is skipped for; `scripts/test-totals.ts` counts and names it. */
    missingData?: string;
    /** The rows of `docs/requirements` that only this data can prove. */
    unproven?: readonly string[];
  }
}

/** One file or folder of data. */
export interface SharedData {
  readonly path: string;
  readonly present: boolean;
  /** Options for the tests that read it, which mark those that are skipped without it. */
  readonly options: {
    readonly skip: boolean;
    readonly meta: { readonly missingData?: string; readonly unproven?: readonly string[] };
  };
}

/**
 * Finds the file or folder `name` of the data, or what the variable of the environment names; says loudly when it is absent.
 * `rows` are those rows of `docs/requirements` that only this data can prove.
 */
export function sharedData(name: string, variable: string, rows: readonly string[] = []): SharedData {
  const path = process.env[variable] ?? fileURLToPath(new URL(`../../../shared/data/${name}`, import.meta.url));
  const present = existsSync(path);
  const meta = present ? {} : { missingData: path, unproven: rows };
  // oxlint-disable-next-line no-console -- a run without the data must say so
  if (!present) console.warn(`TEST DATA ABSENT: ${path} does not exist, so its tests are skipped. Set ${variable}.`);
  return { path, present, options: { skip: !present, meta } };
}
