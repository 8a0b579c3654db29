// What npm would put into an empty folder: the packages that a contender imports, and what they depend on.
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const OURS = ['protocol', 'tools', 'agent', 'providers'].map((name) => file(`../../../packages/${name}`));

/** Bytes and packages, without optional ones. */
export function installed(name) {
  const found = new Map();
  const start = name === 'ours' ? OURS : importsOf(name).map((each) => folderOf(each, file('..')));
  start.forEach((folder) => visit(folder, found));
  let bytes = 0;
  for (const folder of found.keys()) bytes += publishedBytes(folder);
  return { bytes, packages: found.size };
}

function importsOf(name) {
  const source = readFileSync(file(`../contenders/${name}.js`), 'utf8');
  const names = [...source.matchAll(/from '(?![.]|node:)((?:@[^/']+\/)?[^/']+)/g)].map(([, each]) => each);
  return [...new Set(names)];
}

function visit(folder, found) {
  if (folder === undefined || found.has(folder)) return;
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  found.set(folder, manifest);
  const optional = manifest.peerDependenciesMeta ?? {};
  const peers = Object.keys(manifest.peerDependencies ?? {}).filter((name) => optional[name]?.optional !== true);
  for (const name of [...Object.keys(manifest.dependencies ?? {}), ...peers]) visit(folderOf(name, folder), found);
}

function folderOf(name, from) {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (existsSync(join(folder, 'package.json'))) return realpathSync(folder);
    if (dirname(at) === at) return undefined;
  }
}

/** A package of this workspace has more in its folder than what is published. */
function publishedBytes(folder) {
  if (!OURS.some((each) => dirname(each) === dirname(folder))) return bytesIn(folder);
  const { files } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return [...files, 'README.md', 'LICENSE', 'package.json']
    .filter((name) => existsSync(join(folder, name)))
    .reduce((sum, name) => sum + bytesIn(join(folder, name)), 0);
}

function bytesIn(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path)
    .filter((name) => name !== 'node_modules')
    .reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}
