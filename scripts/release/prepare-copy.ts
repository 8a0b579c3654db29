import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemProgram } from '../lib/system-program.ts';
import { pnpmCommand } from '../lib/tarballs.ts';
import { run } from './shell.ts';
import { changedFiles } from './tree-state.ts';

/** Clones the last commit, installs it, and commits what `pnpm version-packages` makes of its changesets: a tree that is ready for a release, unbuilt. */
export async function prepareCopy(root: string, copy: string): Promise<void> {
  const [command, ...pnpm] = pnpmCommand(root);
  const git = (...args: readonly string[]): void =>
    void execFileSync(systemProgram('git'), [
      '-C',
      copy,
      '-c',
      'user.name=rehearsal',
      '-c',
      'user.email=rehearsal@localhost',
      ...args,
    ]);
  execFileSync(systemProgram('git'), ['clone', '--quiet', root, copy], { stdio: ['ignore', 'ignore', 'inherit'] });
  await run('pnpm install fails', command, [...pnpm, 'install', '--frozen-lockfile', '--prefer-offline'], {
    cwd: copy,
  });
  // The generator of the API reference, if it is installed: a release installs it otherwise.
  const generator = 'scripts/site/node_modules';
  if (existsSync(join(root, generator))) symlinkSync(join(root, generator), join(copy, generator), 'junction');
  await run('pnpm version-packages fails', command, [...pnpm, 'run', 'version-packages'], { cwd: copy });
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'Version packages');
}

/** Publishes a package by hand, which must be refused, and packs it from an unbuilt copy, which must have its code, and from a changed one, which must be refused. Leaves the copy as it was. */
export async function proveRefusals(copy: string): Promise<void> {
  const folder = join(copy, 'packages/tools');
  const [command, ...pnpm] = pnpmCommand(copy);
  const pack = (): Promise<unknown> => run('pnpm pack fails', command, [...pnpm, 'pack'], { cwd: folder });
  // Port 9 is where nothing listens, should the guard be gone.
  const publish = (): Promise<unknown> =>
    run('pnpm publish fails', command, [...pnpm, 'publish', '--no-git-checks', '--registry=http://127.0.0.1:9/'], {
      cwd: folder,
    });
  await requireRefusal('pnpm publish of a package', publish, 'Refusing to publish');
  await pack();
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  const files = execFileSync(systemProgram('tar'), ['-tzf', join(folder, tarball)], { encoding: 'utf8' });
  rmSync(join(folder, tarball));
  if (!files.includes('package/dist/index.js')) throw new Error('pnpm pack made a tarball without code.');
  const changed = changedFiles(copy);
  if (changed.length > 0) throw new Error(`pnpm pack left ${changed.join(', ')} changed.`);
  const readme = join(folder, 'README.md');
  const text = readFileSync(readme, 'utf8');
  writeFileSync(readme, `${text}\n`);
  try {
    await requireRefusal('pnpm pack of a changed tree', pack, 'Refusing to pack');
  } finally {
    writeFileSync(readme, text);
  }
}

async function requireRefusal(what: string, command: () => Promise<unknown>, message: string): Promise<void> {
  const refusal = await command().then(
    () => '',
    (error: unknown) => String(error),
  );
  if (!refusal.includes(message)) throw new Error(`${what} was not refused: ${refusal}`);
}
