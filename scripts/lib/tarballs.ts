import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packedReadme, writePackageDocs } from '../release/package-docs.ts';
import { replaceInTarball } from '../release/replace-in-tarball.ts';
import { requireBuilt } from '../release/tree-state.ts';
import { publishedFolders, readManifest } from './projects.ts';
import { systemProgram } from './system-program.ts';

/**
 * Packs every published package into `folder`, with real version numbers, as the tree is: the checks of `prepack`, which guard a pack by
 * hand, are left out, but for the one that everything is built. Returns the tarballs by package name.
 */
export function packAll(root: string, folder: string): ReadonlyMap<string, string> {
  mkdirSync(folder, { recursive: true });
  const tarballs = new Map<string, string>();
  const [command, ...args] = pnpmCommand(root);
  for (const workspace of publishedFolders(root)) {
    const manifest = readManifest(root, workspace);
    requireBuilt(join(root, workspace), manifest.name, manifest);
    writePackageDocs(root, workspace);
    const before = new Set(readdirSync(folder));
    execFileSync(command, [...args, 'pack', '--ignore-scripts', '--pack-destination', resolve(folder)], {
      cwd: join(root, workspace),
      stdio: 'pipe',
    });
    const file = readdirSync(folder).find((name) => !before.has(name));
    if (file === undefined) throw new Error(`pnpm pack left no tarball for ${workspace}.`);
    replaceInTarball(join(folder, file), 'package/README.md', (text) => packedReadme(root, workspace, text));
    tarballs.set(manifest.name, resolve(folder, file));
  }
  return tarballs;
}

/** Builds one package with what it depends on, or every package. Prints errors alone. */
export function buildPackages(root: string, name?: string): void {
  const filter = name === undefined ? [] : [`--filter=${name}`];
  execFileSync(join(root, 'node_modules/.bin/turbo'), ['run', 'build', ...filter, '--output-logs=errors-only'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
  });
}

/** The pnpm of the PATH, or the one that the root manifest names. */
export function pnpmCommand(root: string): readonly [string, ...string[]] {
  try {
    execFileSync('pnpm', ['--version'], { stdio: 'pipe' });
    return ['pnpm'];
  } catch {
    const { packageManager = 'pnpm' } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly packageManager?: string;
    };
    return [systemProgram('npx'), '--yes', packageManager];
  }
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
