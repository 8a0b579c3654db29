/**
 * Runs before `pnpm pack` and `pnpm publish` of a package: refuses a tree that differs from the last commit and a package manager that would
 * leave `workspace:` ranges in the manifest, builds the package, and writes its documents. What is packed is what the commit says.
 * Called with the name of the package and the user agent of the package manager; with `--done` after the name when the tarball is there.
 */
import { join } from 'node:path';
import { publishedFolders, readManifest } from './lib/projects.ts';
import { buildPackages } from './lib/tarballs.ts';
import { restoreReadme, writePackageDocs, writePackedReadme } from './release/package-docs.ts';
import { removeIgnored, requireBuilt, requireCleanTree } from './release/tree-state.ts';

const root = join(import.meta.dirname, '..');
const [name = '', agent = ''] = process.argv.slice(2);
try {
  prepack();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function prepack(): void {
  const folder = publishedFolders(root).find((each) => readManifest(root, each).name === name);
  if (folder === undefined) throw new Error(`Refusing to pack "${name}": no published package has this name.`);
  // Also after a pack that was interrupted.
  restoreReadme(root, folder);
  if (agent === '--done') return;
  if (!agent.startsWith('pnpm/'))
    throw new Error(
      `Refusing to pack ${name} with "${agent}": only pnpm replaces the workspace ranges. Run: pnpm pack`,
    );
  requireCleanTree(root);
  removeIgnored(root, folder);
  buildPackages(root, name);
  requireBuilt(join(root, folder), name, readManifest(root, folder));
  writePackageDocs(root, folder);
  // A build that changes committed files has not been committed as it should be.
  requireCleanTree(root);
  writePackedReadme(root, folder);
}
