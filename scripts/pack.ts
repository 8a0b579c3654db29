/**
 * Packs every published package as it is now, versions and all, into a folder: `pnpm tarballs [folder]`, by default `tarballs`. To try them, install
 * the files of that folder into an empty project. A release packs for itself.
 */
import { join, relative, resolve } from 'node:path';
import { buildPackages, packAll } from './lib/tarballs.ts';

const root = join(import.meta.dirname, '..');
const folder = resolve(process.argv[2] ?? 'tarballs');
buildPackages(root);
const tarballs = packAll(root, folder);
for (const [name, file] of tarballs) console.log(`${name}: ${relative(process.cwd(), file)}`);
console.log(`To try them in an empty folder: npm init -y && npm install ${folder}/*.tgz`);
