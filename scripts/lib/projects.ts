import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The parts of a package.json that the rules look at. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly scripts?: Record<string, string>;
  readonly exports?: Record<string, unknown>;
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

/** The folders of the workspace's packages, relative to the root, sorted. */
export function workspaceFolders(root = '.'): readonly string[] {
  const patterns = [
    'packages/*',
    'apps/*',
    'examples',
    'scripts',
    'test/acp',
    'test/coming-from',
    'test/durable',
    'test/e2e',
    'test/engines',
    'test/code-mode',
    'test/mcp',
    'test/restate',
    'test/runtimes',
    'test/sdks',
    'test/soak',
  ].map((folder) => `${folder}/package.json`);
  return globSync(patterns, { cwd: root })
    .map((file) => dirname(file))
    .toSorted();
}

/** The folders of the packages that are published, relative to the root, sorted. */
export function publishedFolders(root = '.'): readonly string[] {
  return workspaceFolders(root).filter((folder) => readManifest(root, folder).private !== true);
}

/** Reads a package's manifest. Throws when there is none. */
export function readManifest(root: string, folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

/** The declaration file of each entry point of a package, by subpath (`.`, `./schemas`). Missing ones are left out. */
export function declarationEntries(root: string, folder: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (const [subpath, target] of Object.entries(readManifest(root, folder).exports ?? {})) {
    if (typeof target !== 'object' || target === null || !('types' in target)) continue;
    const file = join(root, folder, String(target.types));
    if (existsSync(file)) entries.set(subpath, file);
  }
  return entries;
}

/** The TypeScript sources of the packages and apps, relative to the root, sorted. */
export function sourceFiles(root: string): readonly string[] {
  return globSync(['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts'], { cwd: root }).toSorted();
}
