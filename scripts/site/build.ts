/**
 * Generates `docs/api` from the built packages, and the site of all documents in `scripts/site/dist`: `pnpm run docs`. With `--check` it fails if `docs/api` is out of
 * date; with `--serve` it serves the site on 127.0.0.1.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_PAGES, HASHES, pageHashes } from '../lib/page-hashes.ts';
import { systemProgram } from '../lib/system-program.ts';
import { collectPages } from './collect-pages.ts';

const root = join(import.meta.dirname, '../..');
const made = join(import.meta.dirname, 'node_modules/.cache/api');
const runNode = (...args: readonly string[]): void =>
  void execFileSync(process.execPath, args, { cwd: import.meta.dirname, stdio: 'inherit' });
const read = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

if (!existsSync(join(import.meta.dirname, 'node_modules/vitepress')))
  execFileSync(systemProgram('npm'), ['install', '--no-save', '--no-audit', '--no-fund'], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  });
runNode('api-pages.ts', made);
updatePages(process.argv.includes('--check'));
console.log(`site: ${collectPages(root, join(import.meta.dirname, 'pages')).length} pages`);
runNode('node_modules/vitepress/bin/vitepress.js', 'build');
if (process.argv.includes('--serve'))
  runNode('node_modules/vitepress/bin/vitepress.js', 'preview', '--host', '127.0.0.1');

/** Writes only the pages that differ, since other processes may be reading them. With `mustBeEqual`, throws if any does. */
function updatePages(mustBeEqual: boolean): void {
  const pages = new Set(globSync('*.md', { cwd: made }));
  const old = globSync('*.md', { cwd: join(root, API_PAGES) }).filter((page) => !pages.has(page));
  const changed = [...pages].filter((page) => read(join(made, page)) !== read(join(root, API_PAGES, page)));
  console.log(`docs/api: ${pages.size} pages, ${changed.length} changed, ${old.length} removed`);
  if (mustBeEqual && changed.length + old.length > 0)
    throw new Error(`docs/api is out of date: ${[...changed, ...old].join(', ')}. Run: pnpm run docs`);
  if (mustBeEqual) return;
  mkdirSync(join(root, API_PAGES), { recursive: true });
  for (const page of old) rmSync(join(root, API_PAGES, page));
  for (const page of changed) writeFileSync(join(root, API_PAGES, page), read(join(made, page)));
  writeFileSync(join(root, HASHES), pageHashes(root));
}
