/** The runtimes beside Node: 730 MB, therefore a folder of their own with their own lockfile. `npm install --no-save --prefix test/runtimes/binaries` installs them. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SharedData } from './shared-data.ts';

/** The folder of the installed runtimes, with its slash. */
export const RUNTIMES_FOLDER = fileURLToPath(new URL('../runtimes/binaries/node_modules/', import.meta.url));

const COMMON = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'] as const;

/** The file of each runtime in that folder, and the platforms that its npm package has a binary for. */
const RUNTIMES = {
  'Node 22': { file: 'node22/bin/node', platforms: COMMON },
  'Node 24': { file: 'node24/bin/node', platforms: COMMON },
  Deno: { file: 'deno/deno', platforms: [...COMMON, 'win32-arm64'] },
  Bun: { file: 'bun/bin/bun.exe', platforms: [...COMMON, 'win32-arm64', 'freebsd-x64', 'freebsd-arm64'] },
  workerd: { file: 'miniflare/package.json', platforms: COMMON },
} as const satisfies Record<string, { readonly file: string; readonly platforms: readonly string[] }>;

/** The name of a runtime that is installed there. */
export type RuntimeName = keyof typeof RUNTIMES;

const NAMES = Object.keys(RUNTIMES) as readonly RuntimeName[];

/** The machine that runtimes are looked for on. */
export interface RuntimeHost {
  /** As Node names it, such as `linux-x64`. */
  readonly platform: string;
  /** Whether a file of the folder is there. */
  readonly has: (file: string) => boolean;
}

const HERE: RuntimeHost = {
  platform: `${process.platform}-${process.arch}`,
  has: (file) => existsSync(RUNTIMES_FOLDER + file),
};

/** The runtimes that are absent: those of which the platform has no binary, and those whose installation failed or was left out. */
export function absentRuntimes({ has, platform }: RuntimeHost = HERE): {
  readonly noBinary: readonly RuntimeName[];
  readonly failed: readonly RuntimeName[];
} {
  const absent = NAMES.filter((name) => !has(RUNTIMES[name].file));
  const exists = (name: RuntimeName): boolean => RUNTIMES[name].platforms.some((each) => each === platform);
  return { noBinary: absent.filter((name) => !exists(name)), failed: absent.filter(exists) };
}

/** What CI says of the absent runtimes; `isFailure` unless the platform has no binary of any of them. */
export function absenceReport(host: RuntimeHost = HERE): {
  readonly lines: readonly string[];
  readonly isFailure: boolean;
} {
  const { failed, noBinary } = absentRuntimes(host);
  return {
    lines: [
      ...noBinary.map(
        (name) => `RUNTIME ABSENT: npm has no binary of ${name} for ${host.platform}, so its test is skipped.`,
      ),
      ...failed.map(
        (name) => `RUNTIME MISSING: ${name} was not installed: npm install --no-save --prefix test/runtimes/binaries.`,
      ),
    ],
    isFailure: failed.length > 0,
  };
}

/**
 * Finds one of them; says loudly when it is absent. In CI (`CI` is set) that is an error, unless there is no binary of it for this platform. `rows` are
 * those rows of `docs/requirements` that it proves.
 */
export function findRuntime(name: RuntimeName, rows: readonly string[] = []): SharedData {
  const path = RUNTIMES_FOLDER + RUNTIMES[name].file;
  const present = existsSync(path);
  const meta = present ? {} : { missingData: path, unproven: rows };
  const { failed, noBinary } = absentRuntimes();
  if (process.env['CI'] && failed.includes(name)) {
    throw new Error(
      `${name} is not installed: ${path} does not exist. Run npm install --no-save --prefix test/runtimes/binaries.`,
    );
  }
  const why = noBinary.includes(name)
    ? 'npm has no binary of it for this platform'
    : 'npm install --no-save --prefix test/runtimes/binaries';
  // oxlint-disable-next-line no-console -- a run without the runtime must say so
  if (!present) console.warn(`RUNTIME ABSENT: ${path} does not exist, so the test of ${name} is skipped: ${why}.`);
  return { path, present, options: { skip: !present, meta } };
}
