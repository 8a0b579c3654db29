import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, relative, join, resolve } from 'node:path';
import { findProgram } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** What programs need of a Unix system. Keys, mail, logs, other users' folders and sockets are not among it. */
const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/nix/store',
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/ca-certificates.conf',
  '/etc/pki/tls',
  '/etc/pki/ca-trust',
  '/etc/crypto-policies',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/nsswitch.conf',
  '/etc/os-release',
  '/etc/passwd',
  '/etc/group',
  '/etc/protocols',
  '/etc/services',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/timezone',
];

const NETWORK = ['/etc/hosts', '/etc/host.conf', '/etc/resolv.conf', '/etc/gai.conf'];

/**
 * Returns the existing files and folders that a command may read besides its own: those of the system, and the installations that the folders of a
 * PATH belong to. A home folder is never among them as a whole.
 */
export function readableFolders(path: string, network: boolean): readonly string[] {
  const installed = path.split(delimiter).filter((folder) => isAbsolute(folder) && isFolder(folder));
  const all = [...SYSTEM, ...(network ? NETWORK : []), ...installed.map(installationOf).filter(isNarrow)];
  return outermost([...new Set(all)].filter((each) => existsSync(each)));
}

/** The folder that a `bin` folder of an installation needs; itself where that would show a home or the whole system. */
function installationOf(bin: string): string {
  const real = realpathSync(bin);
  const parent = dirname(real);
  const home = homedir();
  const isShared = parent === dirname(parent) || isInside(parent, home) || parent === `${home}/.local`;
  return basename(real) === 'bin' && !isShared ? parent : real;
}

/** Whether a folder is neither the root, nor right below it, nor a home or what holds one: programs that lie there show far more than themselves. */
function isNarrow(folder: string): boolean {
  return dirname(dirname(folder)) !== dirname(folder) && dirname(folder) !== folder && !isInside(folder, homedir());
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The paths that lie in none of the others. */
export function outermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isInside(other, path)));
}

export function isInside(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below === '' || (!below.startsWith('..') && !isAbsolute(below));
}

/**
 * Returns the repository of a folder, to be mounted read-only: Git would later run, outside of the isolation, what a
 * command writes there (hooks, the config, a `commondir`). Throws if its name leads to other files that a command could
 * replace: a mount protects neither a link nor the folders above what is mounted. The file of a worktree leads outside.
 */
export function repositoryOf(folder: string): readonly string[] {
  const git = join(folder, '.git');
  const found = lstatSync(git, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const [, led] = (found.isFile() && /^gitdir:\s*(.+)/.exec(readFileSync(git, 'utf8'))) || [];
  if (!found.isSymbolicLink() && (led === undefined || !isInside(folder, resolve(folder, led)))) return [git];
  const kind = found.isSymbolicLink() ? 'a link' : 'a file that leads into the folder';
  throw new KernelError(
    'TOOL_UNAVAILABLE',
    `The isolation cannot protect the repository of "${folder}": its .git is ${kind}, and a command could replace the repository.`,
    {
      hint: 'Move the repository to .git; one outside of the folder may be named by a file .git with the line "gitdir: PATH". Or pass gitWritable: true.',
    },
  );
}

/**
 * Returns the path of a program of the system. Throws `TOOL_UNAVAILABLE` where there is none: its name alone would be looked up on `PATH`, which may lead
 * into the workspace.
 */
export function requireProgram(name: string, purpose: string, workspace: string): string {
  const program = findProgram(name, { workspace });
  if (program !== undefined) return program;
  throw new KernelError(
    'TOOL_UNAVAILABLE',
    `${purpose} needs the program "${name}", which this system does not have.`,
    {
      hint: `Install "${name}" for all users. A program in the workspace, in a repository around it or in a folder that others can write to does not count.`,
      data: { program: name },
    },
  );
}
