/** The runtimes beside Node: 730 MB, therefore a folder of their own with their own lockfile. `npm install --no-save --prefix runtimes` installs them. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SharedData } from './shared-data.ts';

/** The folder of the installed runtimes, with its slash. */
export const RUNTIMES_FOLDER = fileURLToPath(new URL('../../runtimes/node_modules/', import.meta.url));

/** Finds one of them by a file; says loudly when it is absent. `rows` are those rows of `docs/requirements.md` that it proves. */
export function findRuntime(file: string, rows: readonly string[] = []): SharedData {
  const path = RUNTIMES_FOLDER + file;
  const present = existsSync(path);
  const meta = present ? {} : { missingData: path, unproven: rows };
  // eslint-disable-next-line no-console -- a run without the runtime must say so
  if (!present)
    console.warn(
      `RUNTIME ABSENT: ${path} does not exist, so its test is skipped: npm install --no-save --prefix runtimes.`,
    );
  return { path, present, options: { skip: !present, meta } };
}
