import { existsSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { attempt, findProgram } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { isInside } from '../../workspace/paths.ts';

/** What programs need of a Unix system. Keys, mail, logs, other users' folders and sockets are not among it. */
export const SYSTEM: readonly string[] = [
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

export const NETWORK: readonly string[] = ['/etc/hosts', '/etc/host.conf', '/etc/resolv.conf', '/etc/gai.conf'];

/**
 * What an installation needs beside its `bin` folder, by the program that tells which installation it is; `*` for any.
 * Only libraries and what a runtime reads at its start: the folder above also has settings, which may hold keys, such as
 * `~/.cargo/credentials.toml`.
 */
const BESIDE_BIN: Readonly<Record<string, readonly string[]>> = {
  '*': ['lib', 'lib32', 'lib64', 'libexec', 'include', 'share', 'pyvenv.cfg'],
  brew: ['Cellar', 'opt', 'Homebrew'],
  go: ['pkg', 'src', 'VERSION', 'go.env'],
  java: ['conf', 'jmods', 'release'],
  pyenv: ['plugins', 'pyenv.d', 'version', 'versions'],
  rbenv: ['plugins', 'rbenv.d', 'version', 'versions'],
};
const MAX_LINKS = 500;
const MODULES = '/node_modules/';

/**
 * Returns the folders of a PATH, and what their programs link to: the package or the file behind each symbolic link, and
 * the libraries of an installation. Neither the root, nor a folder right below it, nor a home is among them: programs
 * there would show far more than themselves.
 */
export function programsOn(path: string): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const add = (folder: string): void => {
    const real = attempt(() => realpathSync(folder));
    if (real === undefined || !isFolder(real) || !isNarrow(real)) return;
    found.add(folder).add(real);
    if (seen.has(real)) return;
    seen.add(real);
    const entries = attempt(() => readdirSync(real, { withFileTypes: true })) ?? [];
    for (const beside of besideOf(real, new Set(entries.map(({ name }) => name)))) found.add(beside);
    for (const { name } of entries.filter((entry) => entry.isSymbolicLink()).slice(0, MAX_LINKS)) addTarget(real, name);
  };
  const addTarget = (folder: string, name: string): void => {
    const link = join(folder, name);
    const target = attempt(() => realpathSync(link));
    if (target === undefined || isShown(target, found) || !isProgram(target)) return;
    // What the link says may itself lead through links, such as `~/tool/current/bin/tool`.
    const written = resolve(folder, attempt(() => readlinkSync(link)) ?? target);
    if (!isShown(written, found)) found.add(written);
    const module = packageOf(target);
    if (module !== undefined) found.add(module);
    else if (basename(dirname(target)) === 'bin' && isNarrow(dirname(target))) add(dirname(target));
    else found.add(target);
  };
  for (const folder of path.split(delimiter))
    if (isAbsolute(folder) && !isShown(folder, SYSTEM_SET)) add(resolve(folder));
  return [...found];
}

const SYSTEM_SET: ReadonlySet<string> = new Set(SYSTEM);

function besideOf(bin: string, programs: ReadonlySet<string>): readonly string[] {
  const parent = dirname(bin);
  const isShared = dirname(parent) === parent || isInside(parent, homedir(), sep) || basename(parent) === '.local';
  if (basename(bin) !== 'bin' || isShared) return [];
  const names = Object.entries(BESIDE_BIN).flatMap(([program, beside]) =>
    program === '*' || programs.has(program) ? beside : [],
  );
  return names.map((name) => join(parent, name)).filter((each) => existsSync(each));
}

/** The folder of the outermost package that a file is in; undefined if it is in none. */
function packageOf(file: string): string | undefined {
  const at = file.indexOf(MODULES);
  if (at === -1) return undefined;
  const [scope = '', name = ''] = file.slice(at + MODULES.length).split('/');
  return file.slice(0, at) + MODULES + (scope.startsWith('@') ? `${scope}/${name}` : scope);
}

function isProgram(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & 0o111) !== 0;
}

/** Whether a folder is neither the root, nor right below it, nor a home or what holds one. */
function isNarrow(folder: string): boolean {
  return dirname(dirname(folder)) !== dirname(folder) && !isInside(folder, homedir(), sep);
}

/** The paths that lie in none of the others. */
export function outermost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  return [...all].filter((path) => path === '/' || !isShown(dirname(path), all));
}

/** Whether a path, or a folder that it is in, is among others. */
function isShown(path: string, among: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (among.has(at)) return true;
    if (at === dirname(at)) return false;
  }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
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
