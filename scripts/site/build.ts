/**
 * Generates the API reference from the built packages, and the site of all documents in `scripts/site/dist`: `pnpm run docs`. Fails on a warning of
 * TypeDoc and on a dead link. With `--serve` it serves the site on 127.0.0.1.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { generateApiPages } from '../lib/api-pages.ts';
import { systemProgram } from '../lib/system-program.ts';
import { collectPages } from './collect-pages.ts';

const root = join(import.meta.dirname, '../..');
const vitepress = (...args: readonly string[]): void =>
  void execFileSync(process.execPath, ['node_modules/vitepress/bin/vitepress.js', ...args], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  });

if (!existsSync(join(import.meta.dirname, 'node_modules/vitepress')))
  execFileSync(systemProgram('npm'), ['install', '--no-save', '--no-audit', '--no-fund'], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  });
generateApiPages(root);
console.log(`site: ${collectPages(root, join(import.meta.dirname, 'pages')).length} pages`);
vitepress('build');
if (process.argv.includes('--serve')) vitepress('preview', '--host', '127.0.0.1');
