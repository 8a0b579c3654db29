import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { publishedFolders, readManifest } from './projects.ts';
import { systemProgram } from './system-program.ts';
import { packAll } from './tarballs.ts';

/**
 * Makes a folder whose `node_modules` has our packages as they are packed, and the other packages that they and `dependents` need, as links
 * to those that are installed here. Returns the folder; remove it when it is no longer needed.
 */
export function createPackedProject(root: string, dependents: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-packed-'));
  const tarballs = packAll(root, join(folder, 'tarballs'));
  const modules = join(folder, 'node_modules');
  for (const [name, tarball] of tarballs) {
    const target = join(modules, name);
    mkdirSync(target, { recursive: true });
    execFileSync(systemProgram('tar'), ['-xzf', tarball, '-C', target, '--strip-components=1']);
  }
  for (const from of [...dependents, ...publishedFolders(root)]) linkOthers(join(root, from, 'node_modules'), modules);
  const own = new Set(publishedFolders(root).map((each) => readManifest(root, each).name));
  if (own.size !== tarballs.size) throw new Error(`${tarballs.size} of ${own.size} packages were packed.`);
  return folder;
}

/** Links every package that is not ours. */
function linkOthers(installed: string, modules: string): void {
  for (const name of globSync(['[!.@]*', '@*/*'], { cwd: installed })) {
    const target = join(modules, name);
    if (name.startsWith('@kernel/') || name.startsWith('@kernel-internal/') || existsSync(target)) continue;
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(join(installed, name), target);
  }
}
