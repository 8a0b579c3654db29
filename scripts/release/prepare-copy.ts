import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pnpmCommand } from '../lib/tarballs.ts';
import { run } from './shell.ts';

/** Clones the last commit, installs it, and commits what `pnpm version-packages` makes of its changesets: a tree that is ready for a release, unbuilt. */
export async function prepareCopy(root: string, copy: string): Promise<void> {
  const [command, ...pnpm] = pnpmCommand(root);
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', [
      '-C',
      copy,
      '-c',
      'user.name=rehearsal',
      '-c',
      'user.email=rehearsal@localhost',
      ...args,
    ]);
  execFileSync('git', ['clone', '--quiet', root, copy], { stdio: ['ignore', 'ignore', 'inherit'] });
  await run('pnpm install fails', command, [...pnpm, 'install', '--frozen-lockfile', '--prefer-offline'], {
    cwd: copy,
  });
  await run('pnpm version-packages fails', command, [...pnpm, 'run', 'version-packages'], { cwd: copy });
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'Version packages');
}

/** Packs a package of an unbuilt copy, which must have its code, and of a changed one, which must be refused. Leaves the copy as it was. */
export async function proveRefusals(copy: string): Promise<void> {
  const folder = join(copy, 'packages/tools');
  const [command, ...pnpm] = pnpmCommand(copy);
  const pack = (): Promise<unknown> => run('pnpm pack fails', command, [...pnpm, 'pack'], { cwd: folder });
  await pack();
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  const files = execFileSync('tar', ['-tzf', join(folder, tarball)], { encoding: 'utf8' });
  rmSync(join(folder, tarball));
  if (!files.includes('package/dist/index.js')) throw new Error('pnpm pack made a tarball without code.');
  const readme = join(folder, 'README.md');
  const text = readFileSync(readme, 'utf8');
  writeFileSync(readme, `${text}\n`);
  const refusal = await pack().then(
    () => '',
    (error: unknown) => String(error),
  );
  writeFileSync(readme, text);
  if (!refusal.includes('Refusing to pack')) throw new Error(`pnpm pack of a changed tree was not refused: ${refusal}`);
}
