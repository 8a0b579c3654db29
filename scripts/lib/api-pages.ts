import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest } from './projects.ts';
import { systemProgram } from './system-program.ts';

/** Where the API reference is generated, relative to the root. Git ignores it. */
export const API_PAGES = 'docs/api';

/** The page of an entry point, such as `tools-grammar` for `./grammar` of `packages/tools`. All are in one folder, as TypeDoc would take a subfolder for members. */
export function apiPageOf(folder: string, subpath: string): string {
  return `${folder.slice(folder.indexOf('/') + 1)}${subpath.slice(1).replaceAll('/', '-')}`;
}

/** The entry points of a package that have declarations, and so a page: `.`, `./grammar`. */
export function entriesWithPage(root: string, folder: string): readonly string[] {
  return Object.entries(readManifest(root, folder).exports ?? {}).flatMap(([subpath, target]) =>
    typeof target === 'object' && target !== null && 'types' in target ? [subpath] : [],
  );
}

/** The pages of a package, relative to the root. They exist once they were generated. */
export function apiPagesOf(root: string, folder: string): readonly string[] {
  return entriesWithPage(root, folder).map((subpath) => `${API_PAGES}/${apiPageOf(folder, subpath)}.md`);
}

/**
 * Generates the API reference of the built packages, and installs the generator where it is missing. Throws where TypeDoc warns: for a link in a
 * docstring that leads to nothing, or an entry point without a page.
 */
export function generateApiPages(root: string): void {
  const site = join(root, 'scripts/site');
  if (!existsSync(join(site, 'node_modules/typedoc')))
    execFileSync(systemProgram('npm'), ['install', '--omit=optional', '--no-save', '--no-audit', '--no-fund'], {
      cwd: site,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  execFileSync(process.execPath, ['api-pages.ts', join(root, API_PAGES)], { cwd: site, stdio: 'inherit' });
  console.log(`${API_PAGES}: ${globSync(`${API_PAGES}/*.md`, { cwd: root }).length} pages`);
}
