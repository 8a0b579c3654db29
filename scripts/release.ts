/**
 * Releases every package from the last commit: `pnpm release`, in the release workflow. Builds, packs, checks every tarball, publishes those that
 * the registry does not have yet, each after what it depends on, and tags the commit. Refuses a tree that differs from the commit and one with changesets that wait.
 * `--registry=http://127.0.0.1:PORT/` publishes to a registry of this machine instead, as `pnpm rehearse` does, and tags nothing.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { publishedFolders, readManifest } from './lib/projects.ts';
import { closureOf, packAll } from './lib/tarballs.ts';
import { waitingChangesets } from './release/changeset-files.ts';
import { guidesOf } from './release/package-docs.ts';
import { loopbackDestination, publicDestination, publishTarball } from './release/publish.ts';
import { tarballFaults } from './release/tarball-faults.ts';
import { requireCleanTree } from './release/tree-state.ts';

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { registry: { type: 'string' } } });
const scratch = mkdtempSync(join(tmpdir(), 'kernel-release-'));
try {
  release();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function release(): void {
  const { registry } = values;
  const destination = registry === undefined ? publicDestination(process.env) : loopbackDestination(registry, scratch);
  requireCleanTree(root);
  const waiting = waitingChangesets(root);
  if (waiting.length > 0)
    throw new Error(`Refusing to release: ${waiting.length} changesets wait. Run: pnpm version-packages, and commit.`);
  execFileSync('turbo', ['run', 'build', '--output-logs=errors-only'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const tarballs = packAll(root, join(scratch, 'tarballs'));
  requireCleanTree(root);
  const folders = new Map(publishedFolders(root).map((folder) => [readManifest(root, folder).name, folder]));
  const faults = [...folders].flatMap(([name, folder]) =>
    tarballFaults(unpack(name, tarballs.get(name) ?? ''), guidesOf(root, folder)),
  );
  if (faults.length > 0) throw new Error(`Refusing to release:\n${faults.join('\n')}`);
  // What a package depends on has a smaller closure than the package.
  const ordered = [...folders].toSorted(([a], [b]) => closureOf(root, a).size - closureOf(root, b).size);
  for (const [name, folder] of ordered) {
    const { version } = readManifest(root, folder) as { readonly version?: string };
    const isNew = publishTarball(tarballs.get(name) ?? '', `${name}@${version}`, destination);
    console.log(`${name}@${version}: ${isNew ? 'published' : 'was published before'}`);
  }
  if (!destination.isPublic) return;
  const { version } = readManifest(root, ordered[0]?.[1] ?? '') as { readonly version?: string };
  execFileSync('git', ['-C', root, 'tag', '--force', `v${version}`]);
  console.log(`tagged v${version}`);
}

function unpack(name: string, tarball: string): string {
  const folder = join(scratch, 'unpacked', name);
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  return folder;
}
