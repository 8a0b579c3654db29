/**
 * Gives the tests of a run a temp folder and an empty home folder, and takes the person's start-up files and settings
 * of programs out of the environment. Fails if anything is left in the temp folder: it would stay on the machine of
 * each person who runs the tests. The first tier has its folder in memory where a system has room: it writes thousands
 * of small files, and starts no program, which such a folder may forbid.
 */
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attempt } from '../../packages/internal/src/error-message.ts';
import { processExists } from '../../packages/internal/src/process-identity.ts';

/** The variables in which systems name the temp folder. */
const TEMP_FOLDER = ['TMPDIR', 'TEMP', 'TMP'] as const;
const HOME_FOLDER = ['HOME', 'USERPROFILE'] as const;
/** Through these, programs read files or take settings that no test asked for. */
const SETTINGS = /^(?:BASH_ENV|ENV|NODE_OPTIONS|(?:GIT|PYTHON|XDG)_.*|PYTHON.*)$/;

/** A folder in memory of Linux systems, and the free bytes that a run needs there. */
const IN_MEMORY = '/dev/shm';
const ROOM = 2 ** 30;

/** Set while a folder is in use: the projects of one run share it. */
const IN_USE = 'TESTS_HAVE_FOLDER';

function hasRoomInMemory(): boolean {
  const usable = attempt(() => {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ROOM;
  });
  return usable === true;
}

/**
 * What the ids of processes belong to: containers have their own, and may share a temp folder. Short, as the paths of
 * sockets have to be; empty where the system doesn't say it.
 */
function processNamespace(): string {
  return attempt(() => readlinkSync('/proc/self/ns/pid').replace(/^pid:\[\d*(\d{4})\]$/, '$1')) ?? '';
}

/** Removes the folders of runs that were killed. Their names begin with `prefix` and the id of their process. */
function removeAbandoned(parent: string, prefix: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = name.startsWith(prefix) ? (/^(\d+)-/.exec(name.slice(prefix.length)) ?? []) : [];
    if (pid === undefined || processExists(Number(pid))) continue;
    const folder = join(parent, name);
    if (lstatSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.())
      attempt(() => rmSync(folder, { recursive: true, force: true }));
  }
}

/** The projects of a run, as vitest passes them. */
interface Run {
  readonly vitest: { readonly projects: readonly { readonly name: string }[] };
}

/** Runs before the first test of a project; the result, after the last of all projects. */
export default function setup({ vitest }: Run): (() => void) | undefined {
  if (process.env[IN_USE] === 'yes') return undefined;
  const before = { ...process.env };
  process.env[IN_USE] = 'yes';
  const isFirstTier = vitest.projects.every(({ name }) => name === 'first');
  const parent = isFirstTier && hasRoomInMemory() ? IN_MEMORY : tmpdir();
  const prefix = `tests-${processNamespace()}-`;
  removeAbandoned(parent, prefix);
  const folder = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  // As the temp folder of a system: some tests start processes of another user.
  chmodSync(folder, 0o1777);
  const home = join(folder, 'home');
  mkdirSync(home);
  for (const name of Object.keys(process.env).filter((each) => SETTINGS.test(each))) delete process.env[name];
  for (const name of TEMP_FOLDER) process.env[name] = folder;
  for (const name of HOME_FOLDER) process.env[name] = home;
  // Without it, bash takes a socket on its standard input for a remote shell, and reads start-up files.
  process.env['SHLVL'] = '1';
  return () => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
    // The journals of what tools changed are kept there by design.
    const inHome = readdirSync(home, { recursive: true, withFileTypes: true }).filter(
      (entry) => !entry.isDirectory() && !entry.parentPath.includes('kernel-toolbox'),
    );
    const left = [
      ...readdirSync(folder).filter((name) => name !== 'home'),
      ...inHome.map(({ name }) => `home/${name}`),
    ];
    rmSync(folder, { recursive: true, force: true });
    if (left.length > 0)
      throw new Error(`${left.length} entries were left in the temp folder: ${left.slice(0, 20).join(', ')}`);
  };
}
