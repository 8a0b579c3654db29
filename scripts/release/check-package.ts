import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedPackages, sizeOf } from '../lib/installed.ts';
import { readManifest } from '../lib/projects.ts';
import { closureOf } from '../lib/tarballs.ts';
import { environmentOf, run, type NodeBinary } from './shell.ts';

/** What must not come along. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
  '@kernel/protocol': ['zod', 'undici'],
  '@kernel/tools': ['zod', 'undici'],
};

/** What an installation may have: a program that people keep is not a folder that they wonder about. */
const LIMITS: Readonly<Record<string, { readonly packages: number; readonly megabytes: number }>> = {
  // Programs of models took eleven packages and 3 MB more: what removes types brings most of them.
  '@kernel/prompt-agent': { packages: 35, megabytes: 29 },
};

/** Checks what one package, installed alone into `project`, brought along. Returns a line about it. */
export function checkInstalled(root: string, name: string, project: string): string {
  const modules = join(project, 'node_modules');
  const installed = installedPackages(modules);
  const megabytes = sizeOf(modules) / 1e6;
  const summary = `${name}: installs alone with ${installed.length} packages, ${megabytes.toFixed(1)} MB`;
  const limit = LIMITS[name];
  if (limit !== undefined && (installed.length > limit.packages || megabytes > limit.megabytes))
    throw new Error(`${summary}, more than it may: ${installed.join(', ')}.`);
  for (const unwanted of WITHOUT[name] ?? [])
    if (installed.includes(unwanted)) throw new Error(`${name} brings ${unwanted} along.`);
  const ours = readdirSync(join(modules, '@kernel')).toSorted().join();
  const expected = [...closureOf(root, name)].map((each) => each.replace('@kernel/', ''));
  if (ours !== expected.toSorted().join()) throw new Error(`${name} brings ${ours} along, not ${expected.join()}.`);
  return summary;
}

/** The program that uses a package by itself, `test/standalone.ts`, relative to the root; `undefined` if the package has nothing to import. */
export function standaloneProgram(root: string, folder: string): string | undefined {
  const program = join(root, folder, 'test/standalone.ts');
  if (existsSync(program)) return program;
  const { exports, name } = readManifest(root, folder);
  if (exports?.['.'] !== undefined)
    throw new Error(`${folder}/test/standalone.ts is missing: ${name} is used by nothing.`);
  return undefined;
}

/** Type-checks the program in a project that has only its package, under both resolutions, with every declaration of the package. */
export async function checkStandaloneTypes(root: string, project: string, program: string): Promise<void> {
  cpSync(program, join(project, 'standalone.ts'));
  const shared = {
    strict: true,
    skipLibCheck: false,
    target: 'es2023',
    lib: ['es2024'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    noEmit: true,
  };
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    const config = { compilerOptions: { ...shared, module, moduleResolution }, files: ['standalone.ts'] };
    const file = join(project, `tsconfig.${moduleResolution}.json`);
    writeFileSync(file, JSON.stringify(config));
    const tsc = join(root, 'node_modules/.bin/tsc');
    await run(`${program} does not type-check under ${moduleResolution}`, tsc, ['-p', file], { cwd: project });
  }
}

/** Runs the program, or of a package with nothing to import its command. */
export async function runStandalone(node: NodeBinary, project: string, program: string | undefined): Promise<void> {
  const env = environmentOf(node);
  if (program === undefined) {
    const { stdout } = await run(
      `${node.name}: prompt-agent does not answer`,
      node.path,
      [join(project, 'node_modules/.bin/prompt-agent'), '12.5 * (3 + 4)'],
      { cwd: project, env: { ...env, HOME: project } },
    );
    if (!stdout.includes('87.5')) throw new Error(`${node.name}: prompt-agent answered "${stdout}", not 87.5.`);
    return;
  }
  cpSync(program, join(project, 'standalone.ts'));
  const flags = ['--unhandled-rejections=strict', 'standalone.ts'];
  const { stdout } = await run(`${node.name}: ${program} fails`, node.path, flags, { cwd: project, env });
  const missing = missingOutput(readFileSync(program, 'utf8'), stdout);
  if (missing !== undefined) throw new Error(`${node.name}: ${program} did not print "${missing}" but "${stdout}".`);
}

/**
 * Compares what a program printed with the comments that say it: `console.log(…); // expected`, where `…` stands for any text. Returns the first
 * comment that the output lacks, in order. Throws for a program without such a comment.
 */
export function missingOutput(source: string, stdout: string): string | undefined {
  const comments = [...source.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, comment = '']) => comment);
  if (comments.length === 0) throw new Error('The program has no comment that says what it prints.');
  let from = 0;
  return comments.find((comment) =>
    comment.split('…').some((piece) => {
      const at = stdout.indexOf(piece.trim(), from);
      from = at + piece.trim().length;
      return at === -1;
    }),
  );
}
