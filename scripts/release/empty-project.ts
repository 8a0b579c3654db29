import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf, run, type NodeBinary } from './shell.ts';
import { systemProgram } from '../lib/system-program.ts';

/** Where the empty projects of a rehearsal get packages from. */
export interface Source {
  /** The registry of this machine, for ours. Others come from the one that npm is configured with. */
  readonly url: string;
  /** npm's cache, shared by all of them and empty before, as the same versions have other contents in each rehearsal. */
  readonly cache: string;
}

/** Makes an empty ESM project and has the npm of `node` install packages into it, by name and range, without running their scripts. */
export async function installInto(
  folder: string,
  node: NodeBinary,
  dependencies: Readonly<Record<string, string>>,
  source: Source,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'empty', private: true, type: 'module', dependencies }),
  );
  await npmInstall(folder, node, [], source);
}

/** Runs `npm install` in a project as a user does who has our registry. Engines that do not fit are errors. */
export async function npmInstall(
  folder: string,
  node: NodeBinary,
  packages: readonly string[],
  { cache, url }: Source,
): Promise<void> {
  writeFileSync(join(folder, '.npmrc'), `@kernel:registry=${url}\n`);
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline', '--ignore-scripts'];
  const args = ['install', ...packages, ...quiet, '--engine-strict', `--cache=${cache}`];
  await run(`${node.name}: npm install fails in ${folder}`, systemProgram('npm'), args, {
    cwd: folder,
    env: environmentOf(node),
  });
}
