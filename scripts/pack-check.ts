/**
 * Packs every package and uses each alone, as a user would: installs its tarball into an empty project, type-checks a small
 * program under `nodenext` and `bundler` with every library check on, and runs it. Nothing is published.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestFaults, type PackedManifest } from './lib/check-manifest.ts';
import { installedPackages, sizeOf } from './lib/installed.ts';
import { closureOf, installAlone, packAll } from './lib/tarballs.ts';
import { publishedFolders, readManifest } from './lib/projects.ts';

/** What must not come along. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
  '@kernel/protocol': ['zod', 'undici'],
  '@kernel/tools': ['zod', 'undici'],
};

/** What an installation may have: a program that people keep is not a folder that they wonder about. */
const LIMITS: Readonly<Record<string, { readonly packages: number; readonly megabytes: number }>> = {
  '@kernel/prompt-agent': { packages: 30, megabytes: 25 },
};

const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'kernel-pack-'));
try {
  const tarballs = packAll(root, join(scratch, 'tarballs'));
  for (const folder of publishedFolders(root)) check(folder, tarballs);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function check(folder: string, tarballs: ReadonlyMap<string, string>): void {
  const { name } = readManifest(root, folder);
  const project = join(scratch, name.replace('/', '-'));
  installAlone(root, project, name, tarballs);
  checkManifest(join(project, 'node_modules', name));
  const installed = installedPackages(join(project, 'node_modules'));
  const limit = LIMITS[name];
  const megabytes = sizeOf(join(project, 'node_modules')) / 1e6;
  if (limit !== undefined && (installed.length > limit.packages || megabytes > limit.megabytes))
    fail(`${name} installs ${installed.length} packages and ${megabytes.toFixed(1)} MB: ${installed.join(', ')}.`);
  for (const unwanted of WITHOUT[name] ?? [])
    if (installed.includes(unwanted)) fail(`${name} brings ${unwanted} along.`);
  const ours = existsSync(join(project, 'node_modules/@kernel'))
    ? readdirSync(join(project, 'node_modules/@kernel'))
    : [];
  const expected = [...closureOf(root, name)].map((each) => each.replace('@kernel/', ''));
  if (ours.toSorted().join() !== expected.toSorted().join())
    fail(`${name} brings ${ours.join()} along, not ${expected.join()}.`);
  const program = join(root, folder, 'test/alone.ts');
  if (existsSync(program)) useIt(name, project, program);
  else if (readManifest(root, folder).exports?.['.'] !== undefined) fail(`${folder}/test/alone.ts is missing.`);
  console.log(`${name}: installs alone with ${installed.length} packages, ${megabytes.toFixed(1)} MB`);
}

function useIt(name: string, project: string, program: string): void {
  cpSync(program, join(project, 'alone.ts'));
  const shared = {
    strict: true,
    skipLibCheck: false,
    target: 'es2023',
    lib: ['es2024'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  };
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    const config = { compilerOptions: { ...shared, module, moduleResolution, noEmit: true }, files: ['alone.ts'] };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
    run(
      join(root, 'node_modules/.bin/tsc'),
      ['-p', project],
      project,
      `${name} does not type-check under ${moduleResolution}`,
    );
  }
  const output = run(
    process.execPath,
    ['--unhandled-rejections=strict', 'alone.ts'],
    project,
    `${name} does not run alone`,
  );
  if (!output.includes('alone: ok')) fail(`the program of ${name} did not end with "alone: ok" but: ${output}`);
}

function checkManifest(folder: string): void {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackedManifest;
  const [fault] = manifestFaults(manifest);
  if (fault !== undefined) fail(fault);
}

function run(command: string, args: readonly string[], cwd: string, failure: string): string {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return fail(`${failure}:\n${stdout}${stderr}`);
  }
}

function fail(message: string): never {
  throw new Error(message);
}
