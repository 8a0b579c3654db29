/**
 * Releases every package from the last commit: `pnpm release`, in the release workflow. Builds, generates the API reference, packs, checks every tarball, publishes those that
 * the registry does not have yet, each after what it depends on, and tags the commit. Refuses a tree that differs from the commit, one with changesets that wait,
 * and a version of which some packages were published from other sources.
 * `--registry=http://127.0.0.1:PORT/` publishes to a registry of this machine instead, as `pnpm rehearse` does, and tags nothing.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { apiPagesOf, generateApiPages } from './lib/api-pages.ts';
import { publishedFolders, readManifest } from './lib/projects.ts';
import { systemProgram } from './lib/system-program.ts';
import { buildPackages, closureOf, packAll } from './lib/tarballs.ts';
import { waitingChangesets } from './release/changeset-files.ts';
import { guidesOf } from './release/package-docs.ts';
import {
  type Destination,
  integrityOf,
  loopbackDestination,
  publicDestination,
  publishedIntegrity,
  publishTarball,
} from './release/publish.ts';
import { planRelease } from './release/release-plan.ts';
import { tarballFaults } from './release/tarball-faults.ts';
import { removeIgnored, requireCleanTree } from './release/tree-state.ts';

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
  for (const folder of publishedFolders(root)) removeIgnored(root, folder);
  buildPackages(root);
  generateApiPages(root);
  const tarballs = packAll(root, join(scratch, 'tarballs'));
  requireCleanTree(root);
  const folders = new Map(publishedFolders(root).map((folder) => [readManifest(root, folder).name, folder]));
  const faults = [...folders].flatMap(([name, folder]) =>
    tarballFaults(unpack(name, tarballs.get(name) ?? ''), [...guidesOf(root, folder), ...apiPagesOf(root, folder)]),
  );
  if (faults.length > 0) throw new Error(`Refusing to release:\n${faults.join('\n')}`);
  // What a package depends on has a smaller closure than the package.
  const ordered = [...folders].toSorted(([a], [b]) => closureOf(root, a).size - closureOf(root, b).size);
  const packed = new Map(
    ordered.map(([name, folder]) => {
      const { version } = readManifest(root, folder) as { readonly version?: string };
      return [`${name}@${version}`, tarballs.get(name) ?? ''];
    }),
  );
  publish(packed, destination);
}

/** Publishes the tarballs, by `name@version`, that the registry lacks, and tags the commit of a public release. */
function publish(packed: ReadonlyMap<string, string>, destination: Destination): void {
  const [first = ''] = packed.keys();
  const tag = `v${first.slice(first.lastIndexOf('@') + 1)}`;
  const head = commitOf('HEAD');
  const versions = [...packed].map(([id, tarball]) => ({
    id,
    integrity: integrityOf(tarball),
    published: publishedIntegrity(id, destination),
  }));
  const plan = planRelease(versions, { head: head ?? '', tag, tagged: commitOf(`refs/tags/${tag}`) });
  for (const note of plan.notes) console.log(note);
  for (const id of plan.publish) {
    publishTarball(packed.get(id) ?? '', destination);
    console.log(`${id}: published`);
  }
  if (!destination.isPublic || !plan.isTagged) return;
  execFileSync(systemProgram('git'), ['-C', root, 'tag', tag]);
  console.log(`tagged ${tag}`);
}

/** The commit that a name leads to; `undefined` for a name that leads nowhere. */
function commitOf(name: string): string | undefined {
  try {
    const args = ['-C', root, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`];
    return execFileSync(systemProgram('git'), args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

function unpack(name: string, tarball: string): string {
  const folder = join(scratch, 'unpacked', name);
  mkdirSync(folder, { recursive: true });
  execFileSync(systemProgram('tar'), ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  return folder;
}
