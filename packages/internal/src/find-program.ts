import { attempt } from './error-message.ts';
import { node, nodeModule } from './platform.ts';

export interface ProgramSearch {
  /** The folder that the work is about. What lies in it, or in a repository around it, was put there by anybody. */
  readonly workspace?: string | undefined;
  /** The folders to look in after those of the system. Default: the `PATH` of this process. */
  readonly path?: string | undefined;
  /** Whether the program itself, not its surroundings, chose the folders: then only relative ones are left out. Default false. */
  readonly isPathTrusted?: boolean | undefined;
  readonly system?: ProgramSystem | undefined;
}

export interface ProgramSystem {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  /** The user; undefined where the system has no numbers for them. */
  readonly uid: number | undefined;
  /** Tells of a file or folder; a link is not followed. Undefined if there is none. */
  stat(path: string): ProgramStats | undefined;
  realpath(path: string): string | undefined;
  readLink(path: string): string;
}

/** The part of a file's or folder's stats that is used: its kind with its permission bits, its owner and its group. */
export type ProgramStats = Readonly<Record<'mode' | 'uid' | 'gid', number>>;

/** Folders that only the owner of a Unix system fills. */
const SYSTEM =
  '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/wrappers/bin:/run/current-system/sw/bin'.split(
    ':',
  );
/** Variables with the folders of Windows that not every user can write to, and those of this user. */
const WINDOWS = ['SystemRoot', 'ProgramFiles', 'ProgramFiles(x86)', 'ProgramW6432', 'USERPROFILE'];
/** What says that a folder is a project of somebody, with all that is in it. */
const MARKS = ['.git', '.hg', '.jj', '.svn', 'node_modules', 'package.json'];
const [S_IFMT, S_IFREG, S_IFLNK, S_ISVTX] = [0o170000, 0o100000, 0o120000, 0o1000];
const MODULES = /(?:^|[/\\])node_modules(?:[/\\]|$)/i;
const MAX_LINKS = 40;

/**
 * Finds a program that this code starts for its own work, such as `bwrap`: in the folders of the system, then in those of the `PATH` that belong to this user
 * or the system. Undefined if there is none: then the name is not to be used instead, which would be looked up where anybody can put a program.
 */
export function findProgram(name: string, search: ProgramSearch = {}): string | undefined {
  const lookup = beginLookup(search, true);
  return lookup && programIn(lookup, [...lookup.own, ...lookup.path.filter((each) => isKept(lookup, each))], name);
}

/**
 * Finds a program that a user or a model named, in the order of the `PATH`. Undefined if no folder of `programFolders` has it. In a folder that everybody can
 * write to, as the tools of some build machines are, only a program of this user or the system counts.
 */
export function findOnPath(name: string, search: ProgramSearch = {}): string | undefined {
  const lookup = beginLookup(search, false);
  return lookup && programIn(lookup, lookup.path, name);
}

/** The folders of a `PATH` that are absolute, and neither in the workspace nor in a repository around it nor in a `node_modules`. */
export function programFolders(search: ProgramSearch = {}): readonly string[] {
  return beginLookup(search, false)?.path ?? [];
}

/**
 * Returns the path of a program that is to be started. Throws a `TypeError` for a name, which Node would look up in the
 * `PATH`, and on Windows in the current folder, where a repository may have such a program.
 */
export function programPath(path: string): string {
  if (nodeModule('node:path')?.isAbsolute(path) === true) return path;
  throw new TypeError(`"${path}" is not the absolute path of a program. Pass what findProgram or findOnPath found.`);
}

type Lookup = NonNullable<ReturnType<typeof beginLookup>>;

/** Begins a search; in a strict one a program counts only where nobody else can change it. */
function beginLookup(search: ProgramSearch, isStrict: boolean) {
  const { isPathTrusted = false, system = thisSystem() } = search;
  const isWindows = system.platform === 'win32';
  const paths = nodeModule('node:path')?.[isWindows ? 'win32' : 'posix'];
  if (paths === undefined) return undefined;
  const root = system.env['SystemRoot'] ?? String.raw`C:\Windows`;
  const named = isWindows ? [`${root}\\System32`, String.raw`${root}\System32\WindowsPowerShell\v1.0`] : SYSTEM;
  // The folders that only the owner of the system fills, those whose content comes from anybody, and those of the `PATH` that count.
  const own = new Set(named.flatMap((folder) => system.realpath(folder) ?? []));
  const [foreign, path]: [string[], string[]] = [[], []];
  const isForeign = (folder: string): boolean => foreign.some((each) => isInside(lookup, each, folder));
  const lookup = { system, paths, isWindows, isStrict, isPathTrusted, own, isForeign, path };
  if (!isPathTrusted) foreign.push(...foreignFolders(lookup, search.workspace));
  const all = (search.path ?? system.env['PATH'] ?? system.env['Path'] ?? '').split(paths.delimiter);
  path.push(...all.filter((folder) => isUsable(lookup, folder)));
  return lookup;
}

/** The workspace, the current folder, and the repositories around them, but none that has a folder of the system in it. */
function foreignFolders(lookup: Lookup, workspace: string | undefined): readonly string[] {
  const { system, paths, isStrict, own } = lookup;
  const homes = new Set([system.home, system.realpath(system.home)]);
  const isSystem = (folder: string): boolean =>
    paths.dirname(folder) === folder || [...own].some((each) => isInside(lookup, folder, each));
  const isProject = (folder: string): boolean => MARKS.some((name) => system.stat(paths.join(folder, name)));
  return [workspace, system.cwd].flatMap((base) => {
    const starts = base === undefined ? [] : [paths.resolve(system.cwd, base), system.realpath(base) ?? base];
    // What a user keeps at home is the user's own. But an agent that works there may have written what its own work would start.
    const isHomeForeign = isStrict && base === workspace;
    const isCounted = (folder: string): boolean =>
      homes.has(folder) ? isHomeForeign && starts.includes(folder) : starts.includes(folder) || isProject(folder);
    return starts.flatMap((start) => parentsOf(lookup, start)).filter((each) => !isSystem(each) && isCounted(each));
  });
}

function isUsable(lookup: Lookup, folder: string): boolean {
  const { system, paths, isWindows, isPathTrusted, isForeign } = lookup;
  const isAbsolute = isWindows ? /^[a-z]:[/\\]/i.test(folder) : paths.isAbsolute(folder);
  const real = isAbsolute ? system.realpath(folder) : undefined;
  return real !== undefined && (isPathTrusted || ![folder, real].some((each) => MODULES.test(each) || isForeign(each)));
}

function programIn(lookup: Lookup, folders: readonly string[], name: string): string | undefined {
  // What is more than a name would lead elsewhere.
  if (!/^[^/\\:\0]+$/.test(name) || /^\.\.?$/.test(name)) return undefined;
  const { paths, isWindows, isStrict } = lookup;
  const endings = isStrict ? ['.exe', '.com'] : ['.com', '.exe', '.bat', '.cmd'];
  const isWhole = !isWindows || (!isStrict && endings.some((ending) => name.toLowerCase().endsWith(ending)));
  const names = isWhole ? [name] : endings.map((ending) => name + ending);
  for (const folder of folders)
    for (const file of names) if (isProgram(lookup, paths.join(folder, file))) return paths.join(folder, file);
  return undefined;
}

/** Whether a file, and each link on the way to it, lies where nobody else has put one; in a strict search, where nobody else can. */
function isProgram(lookup: Lookup, file: string): boolean {
  const { system, paths, isWindows, isPathTrusted, isStrict, own } = lookup;
  let at = file;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const folder = system.realpath(paths.dirname(at));
    if (folder === undefined || lookup.isForeign(folder)) return false;
    at = paths.join(folder, paths.basename(at));
    const stats = system.stat(at);
    if (stats === undefined) return false;
    const [isKeptHere, isOurs] = [isPathTrusted || isKept(lookup, folder), own.has(folder) || isOwn(lookup, stats)];
    if (isStrict ? !isKeptHere || !isOurs : !isKeptHere && !hasOwner(lookup, stats)) return false;
    const canRun = isWindows || ((stats.mode & 0o111) !== 0 && !(isStrict && (stats.mode & 0o002) !== 0));
    if ((stats.mode & S_IFMT) !== S_IFLNK) return canRun && (stats.mode & S_IFMT) === S_IFREG;
    at = paths.resolve(folder, system.readLink(at));
  }
  return false;
}

/** Whether nobody else can put a file into a folder; in a strict search, nor another folder in place of it or of one that it is in. */
function isKept(lookup: Lookup, folder: string): boolean {
  const { system, isWindows, own } = lookup;
  if (isWindows)
    return WINDOWS.some((name) => system.env[name] !== undefined && isInside(lookup, system.env[name], folder));
  const isStrict = lookup.isStrict && !own.has(folder);
  return parentsOf(lookup, folder).every((parent, index) => {
    const stats = system.stat(parent);
    if (stats === undefined || (isStrict && !hasOwner(lookup, stats))) return false;
    // A link has no mode of its own; in a folder such as `/tmp` nobody can rename what belongs to another one.
    if ((stats.mode & S_IFMT) === S_IFLNK || (index > 0 && (stats.mode & S_ISVTX) !== 0)) return true;
    return (stats.mode & 0o002) === 0 && (!isStrict || isOwn(lookup, stats));
  });
}

function hasOwner({ system }: Lookup, { uid }: ProgramStats): boolean {
  // In a container the system may belong to somebody who has no number there.
  return system.uid === undefined || [0, system.uid, system.stat('/')?.uid].includes(uid);
}

function isOwn(lookup: Lookup, stats: ProgramStats): boolean {
  const { uid, platform } = lookup.system;
  // A group of its own is the user alone; members of `admin` on macOS can become root.
  const isOwnGroup = [0, uid].includes(stats.gid) || (platform === 'darwin' && stats.gid === 80);
  return hasOwner(lookup, stats) && ((stats.mode & 0o020) === 0 || isOwnGroup);
}

function isInside({ paths }: Lookup, folder: string, file: string): boolean {
  const way = paths.relative(folder, file);
  return !/^\.\.(?:[/\\]|$)/.test(way) && !paths.isAbsolute(way);
}

function parentsOf(lookup: Lookup, folder: string): readonly string[] {
  const parent = lookup.paths.dirname(folder);
  return parent === folder ? [folder] : [folder, ...parentsOf(lookup, parent)];
}

function thisSystem(): ProgramSystem {
  const fs = nodeModule('node:fs');
  return {
    platform: node.process?.platform ?? '',
    env: node.process?.env ?? {},
    cwd: attempt(() => node.process?.cwd?.()) ?? '/',
    home: attempt(() => nodeModule('node:os')?.homedir()) ?? '',
    uid: node.process?.getuid?.(),
    stat: (path) => attempt(() => fs?.lstatSync(path)),
    realpath: (path) => attempt(() => fs?.realpathSync.native(path)),
    readLink: (path) => fs?.readlinkSync(path) ?? path,
  };
}
