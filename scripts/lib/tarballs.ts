import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { publishedFolders, readManifest } from './projects.ts';

/** Packs every published package into `folder`, with real version numbers. Returns the tarballs by package name. */
export function packAll(root: string, folder: string): ReadonlyMap<string, string> {
  mkdirSync(folder, { recursive: true });
  const tarballs = new Map<string, string>();
  const [command, ...args] = pnpmCommand(root);
  for (const workspace of publishedFolders(root)) {
    const before = new Set(readdirSync(folder));
    execFileSync(command, [...args, 'pack', '--pack-destination', resolve(folder)], {
      cwd: join(root, workspace),
      stdio: 'pipe',
    });
    const file = readdirSync(folder).find((name) => !before.has(name));
    if (file === undefined) throw new Error(`pnpm pack left no tarball for ${workspace}.`);
    tarballs.set(readManifest(root, workspace).name, resolve(folder, file));
  }
  return tarballs;
}

/** The pnpm of the PATH, or the one that the root manifest names. */
function pnpmCommand(root: string): readonly [string, ...string[]] {
  try {
    execFileSync('pnpm', ['--version'], { stdio: 'pipe' });
    return ['pnpm'];
  } catch {
    const { packageManager = 'pnpm' } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly packageManager?: string;
    };
    return ['npx', '--yes', packageManager];
  }
}

/**
 * Makes an empty ESM project in `folder` with the tarball of `name` and those of our packages that it needs, and nothing
 * else of ours. Other packages come from the package manager's registry or its cache.
 */
export function installAlone(
  root: string,
  folder: string,
  name: string,
  tarballs: ReadonlyMap<string, string>,
  extra: Readonly<Record<string, string>> = {},
): void {
  mkdirSync(folder, { recursive: true });
  const ours = Object.fromEntries([...closureOf(root, name)].map((each) => [each, `file:${tarballs.get(each)}`]));
  const manifest = {
    name: 'alone',
    private: true,
    type: 'module',
    dependencies: { ...ours, ...extra },
    overrides: ours,
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, undefined, 2));
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline', '--ignore-scripts'];
  execFileSync('npm', ['install', ...quiet], { cwd: folder, stdio: 'pipe' });
}

/** A package of ours and those of ours that it depends on, at any depth. */
export function closureOf(root: string, name: string): ReadonlySet<string> {
  const folders = new Map(publishedFolders(root).map((folder) => [readManifest(root, folder).name, folder]));
  const seen = new Set<string>();
  const visit = (each: string): void => {
    const folder = folders.get(each);
    if (folder === undefined || seen.has(each)) return;
    seen.add(each);
    for (const dependency of Object.keys(readManifest(root, folder).dependencies ?? {})) visit(dependency);
  };
  visit(name);
  return seen;
}
