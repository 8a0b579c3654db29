/** Hashes of what the pages of `docs/api` were generated from, to notice stale pages without generating them again. */
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { publicDeclarations } from './declarations.ts';
import { publishedFolders } from './projects.ts';
import { readText } from './read-text.ts';

/** Where the pages are, relative to the root. */
export const API_PAGES = 'docs/api';

/** The file with the hashes. */
export const HASHES = `${API_PAGES}/hashes.txt`;

/** The files that generate the pages. */
const GENERATOR = [
  'scripts/site/api-pages.ts',
  'scripts/site/package-lock.json',
  'scripts/site/tsconfig.declarations.json',
];

/** Returns the text of `hashes.txt` for the current tree: a line for all built declarations, one for the generator, and one for each page. */
export function pageHashes(root: string): string {
  const declarations = publishedFolders(root)
    .flatMap((folder) => [...publicDeclarations(root, folder)])
    .map((file) => relative(root, file).split(sep).join('/'))
    .toSorted();
  const pages = globSync(`${API_PAGES}/*.md`, { cwd: root }).map((file) => file.split(sep).join('/'));
  const lines = [
    `${hashOf(root, declarations)} declarations`,
    `${hashOf(root, GENERATOR)} generator`,
    ...pages.toSorted().map((page) => `${hashOf(root, [page])} ${page.slice(API_PAGES.length + 1)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function hashOf(root: string, files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\n${readText(root, file)}\n`);
  return hash.digest('hex').slice(0, 16);
}
