import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemProgram } from '../lib/system-program.ts';

/** Where packages go, as arguments of npm: nothing else may decide it. */
export interface Destination {
  readonly args: readonly string[];
  /** Whether anybody can install from it afterwards. */
  readonly isPublic: boolean;
}

/** A registry of this machine, for a rehearsal, with a throw-away `.npmrc` in `folder`. Throws for any other host than 127.0.0.1. */
export function loopbackDestination(registry: string, folder: string): Destination {
  const url = loopbackUrl(registry);
  mkdirSync(folder, { recursive: true });
  const userconfig = join(folder, 'npmrc');
  // npm publishes to nobody without a token, and this registry asks for none.
  writeFileSync(userconfig, `@kernel:registry=${url}\n//${new URL(url).host}/:_authToken=rehearsal\n`);
  const args = [
    `--userconfig=${userconfig}`,
    `--registry=${url}`,
    `--@kernel:registry=${url}`,
    '--provenance=false',
    '--noproxy=127.0.0.1',
  ];
  return { args, isPublic: false };
}

/** The registry of the owner's npm configuration, with provenance. Throws outside of a CI job that gives out identity tokens. */
export function publicDestination(env: Readonly<Record<string, string | undefined>>): Destination {
  if (!env['ACTIONS_ID_TOKEN_REQUEST_URL'])
    throw new Error(
      'Refusing to publish: a release is made by the release workflow, whose identity token npm makes the provenance from. To try it out: pnpm rehearse',
    );
  return { args: ['--provenance'], isPublic: true };
}

/** The address of a registry on this machine, with its closing slash. Throws for any other host than 127.0.0.1. */
export function loopbackUrl(registry: string): string {
  const url = URL.parse(registry);
  if (url?.protocol !== 'http:' || url.hostname !== '127.0.0.1' || url.username !== '' || url.password !== '')
    throw new Error(
      `Refusing to publish to "${registry}": a rehearsal publishes to http://127.0.0.1 and nowhere else.`,
    );
  return `${url.origin}/`;
}

/** Publishes a tarball. */
export function publishTarball(tarball: string, destination: Destination): void {
  npm(['publish', tarball, '--access=public', ...destination.args]);
}

/** Returns the integrity, such as `sha512-…`, of what a registry has under `name@version`; `undefined` if it has nothing. */
export function publishedIntegrity(id: string, { args }: Destination): string | undefined {
  try {
    const integrity = npm(['view', id, 'dist.integrity', ...args]).trim();
    return integrity === '' ? undefined : integrity;
  } catch (error) {
    if (String((error as { readonly stderr?: string }).stderr).includes('E404')) return undefined;
    throw error;
  }
}

/** Returns the integrity of a file, as a registry gives it. */
export function integrityOf(file: string): string {
  return `sha512-${hash('sha512', readFileSync(file), 'base64')}`;
}

function npm(args: readonly string[]): string {
  return execFileSync(systemProgram('npm'), [...args, '--loglevel=error'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
