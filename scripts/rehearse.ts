/**
 * Rehearses a release of the last commit: versions a copy of the repository from its changesets, proves that a package cannot be packed from a
 * tree that differs from a commit, releases to a registry on 127.0.0.1, and uses what was published as strangers do, on each Node: every package
 * alone, all together with every example, the README's program. Nothing leaves this machine, and nothing outside of a temporary folder changes.
 * `--short` leaves out what must be refused, and uses the packages on the pinned Node alone, without the examples, and of the packages only the program alone.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishedFolders, readManifest } from './lib/projects.ts';
import { systemProgram } from './lib/system-program.ts';
import { prepareCopy, proveRefusals } from './release/prepare-copy.ts';
import { startRegistry, type LoopbackRegistry } from './release/registry.ts';
import { environmentOf, exitOnSignals, run, type NodeBinary } from './release/shell.ts';
import { changedFiles } from './release/tree-state.ts';
import { useEverything } from './release/use-everything.ts';

const root = join(import.meta.dirname, '..');
const modules = join(root, 'scripts/rehearsal/node_modules');
const older: readonly NodeBinary[] = [
  { name: 'Node 22.19', path: join(modules, 'node22/bin/node') },
  { name: 'Node 24', path: join(modules, 'node24/bin/node') },
];
const isShort = process.argv.includes('--short');
const nodes: readonly NodeBinary[] = [
  ...(isShort ? [] : older),
  { name: `Node ${process.versions.node.split('.')[0]}`, path: process.execPath },
];
const scratch = mkdtempSync(join(tmpdir(), 'kernel-rehearsal-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
exitOnSignals();
// Hundreds of processes load the same code, npm's above all.
process.env['NODE_COMPILE_CACHE'] ??= join(scratch, 'compiled');
let registry: LoopbackRegistry | undefined;
try {
  const changed = changedFiles(root);
  if (changed.length > 0)
    console.log(`rehearses the last commit, without the ${changed.length} files that differ from it`);
  if (!existsSync(join(modules, 'verdaccio')) || nodes.some(({ path }) => !existsSync(path)))
    await step('install the registry and the other Nodes', () =>
      execFileSync(systemProgram('npm'), ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], {
        cwd: join(root, 'scripts/rehearsal'),
        stdio: 'inherit',
      }),
    );
  const copy = join(scratch, 'copy');
  await step('version a copy', () => prepareCopy(root, copy));
  if (!isShort) await step('pack an unbuilt and a changed tree', () => proveRefusals(copy));
  registry = await startRegistry(modules, join(scratch, 'registry'));
  const { url } = registry;
  const release = await step('release to 127.0.0.1', () =>
    run('pnpm release fails', process.execPath, ['scripts/release.ts', `--registry=${url}`], {
      cwd: copy,
      env: {
        ...environmentOf({ name: 'node', path: process.execPath }),
        PATH: `${join(copy, 'node_modules/.bin')}:${process.env['PATH']}`,
      },
    }),
  );
  process.stdout.write(release.stdout);
  const names = publishedFolders(copy).map((folder) => readManifest(copy, folder).name);
  for (const name of names)
    if (!release.stdout.includes(`${name}@`)) throw new Error(`pnpm release published no ${name}.`);
  const source = { url, cache: join(scratch, 'npm-cache') };
  const failures = await step('use it', () => useEverything(copy, join(scratch, 'projects'), nodes, source, isShort));
  for (const failure of failures) console.error(failure instanceof Error ? failure.message : failure);
  console.log(
    failures.length === 0 ? 'rehearsal complete: nothing left this machine' : `rehearsal: ${failures.length} failures`,
  );
  if (failures.length > 0) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await registry?.close();
}

async function step<T>(title: string, work: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  console.log(`${title}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}
