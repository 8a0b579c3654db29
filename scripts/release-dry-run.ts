/**
 * Rehearses a release without publishing: versions a copy of the repository from its changesets, builds and packs it, and
 * prints the version of each tarball. Fails on a package of another version or without a changelog.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishedFolders, readManifest } from './lib/projects.ts';
import { packAll } from './lib/tarballs.ts';

const root = join(import.meta.dirname, '..');
const copy = mkdtempSync(join(tmpdir(), 'kernel-release-'));
const pnpm = (...args: readonly string[]): void => void execFileSync('pnpm', args, { cwd: copy, stdio: 'inherit' });
try {
  execFileSync('git', ['clone', '-q', root, copy], { stdio: 'inherit' });
  pnpm('install', '--frozen-lockfile', '--prefer-offline');
  pnpm('exec', 'changeset', 'version');
  pnpm('install', '--lockfile-only', '--prefer-offline');
  pnpm('exec', 'turbo', 'run', 'build', '--output-logs=errors-only');
  const tarballs = packAll(copy, join(copy, 'tarballs'));
  const versions = new Set<string>();
  for (const folder of publishedFolders(copy)) {
    const manifest = readManifest(copy, folder) as { name: string; version?: string };
    versions.add(manifest.version ?? '');
    if (!existsSync(join(copy, folder, 'CHANGELOG.md'))) throw new Error(`${manifest.name} has no changelog.`);
    console.log(`${manifest.name}@${manifest.version}: ${tarballs.get(manifest.name)?.split('/').at(-1)}`);
  }
  if (versions.size !== 1) throw new Error(`The packages have several versions: ${[...versions].join(', ')}.`);
  console.log('dry run complete: nothing was published');
} finally {
  rmSync(copy, { recursive: true, force: true });
}
