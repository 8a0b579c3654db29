import { node, nodeModule } from './platform.ts';

/** Where a program is looked for. */
export interface ProgramSearch {
  /** The folder that the work is about. What lies in it, or in a repository around it, was put there by anybody. */
  readonly workspace?: string | undefined;
  /** The folders to look in after those of the system. Default: the `PATH` of this process. */
  readonly path?: string | undefined;
  /** Whether the program itself, not its surroundings, chose the folders: then only relative ones are left out. Default false. */
  readonly isChosen?: boolean | undefined;
  /** The system, for tests. Default: this one. */
  readonly system?: ProgramSystem | undefined;
}

/** What the search asks the system. */
export interface ProgramSystem {
  /** As `process.platform`. */
  readonly platform: string;
  /** The environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The current folder. */
  readonly cwd: string;
  /** The home folder. */
  readonly home: string;
  /** The user; undefined where the system has no numbers for them. */
  readonly uid: number | undefined;
  /** Tells of a file or folder; a link is not followed. Undefined if there is none. */
  stat(path: string): ProgramStats | undefined;
  /** Returns a path without links. Throws if there is nothing. */
  realpath(path: string): string;
  /** Returns what a link leads to. */
  readLink(path: string): string;
}

/** The part of a file's or folder's stats that is used. */
export interface ProgramStats {
  /** Its kind and its permission bits. */
  readonly mode: number;
  /** Its owner. */
  readonly uid: number;
  /** Its group. */
  readonly gid: number;
}

/** Folders that only the owner of a Unix system fills. */
const SYSTEM =
  '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/wrappers/bin:/run/current-system/sw/bin'.split(
    ':',
  );
/** Variables with the folders of Windows that not every user can write to, and those of this user. */
const WINDOWS = ['SystemRoot', 'ProgramFiles', 'ProgramFiles(x86)', 'ProgramW6432', 'USERPROFILE'];
const [KIND, FILE, LINK, STICKY] = [0o170000, 0o100000, 0o120000, 0o1000];
const MAX_LINKS = 40;

/**
 * Finds a program that this code starts for its own work, such as `bwrap`: in the folders of the system, then in those of the `PATH` that belong to this user
 * or the system. Undefined if there is none: then the name is not to be used instead, which would be looked up where anybody can put a program.
 */
export function findProgram(name: string, search: ProgramSearch = {}): string | undefined {
  const resolved = resolveSearch(search);
  return resolved.find(
    name,
    [...resolved.system, ...resolved.path.filter(resolved.isKept)],
    resolved.isWindows ? ['.exe', '.com'] : [''],
    true,
  );
}

/**
 * Finds a program that a user or a model named, in the order of the `PATH`. Undefined if no folder of `programFolders` has it. In a folder that everybody can
 * write to, as the tools of some build machines are, only a program of this user or the system counts.
 */
export function findCommand(name: string, search: ProgramSearch = {}): string | undefined {
  const resolved = resolveSearch(search);
  const endings = ['.com', '.exe', '.bat', '.cmd'];
  const isWhole = !resolved.isWindows || endings.some((ending) => name.toLowerCase().endsWith(ending));
  return resolved.find(name, resolved.path, isWhole ? [''] : endings, false);
}

/** The folders of a `PATH` that are absolute, and neither in the workspace nor in a repository around it nor in a `node_modules`. */
export function programFolders(search: ProgramSearch = {}): readonly string[] {
  return resolveSearch(search).path;
}

function resolveSearch({ workspace, path, isChosen = false, system = thisSystem() }: ProgramSearch) {
  const isWindows = system.platform === 'win32';
  const paths = nodeModule('node:path')?.[isWindows ? 'win32' : 'posix'];
  if (paths === undefined) return { isWindows, system: [], path: [], isKept: () => false, find: () => undefined };
  const { env, home, uid } = system;
  const fold = (text: string): string => (isWindows ? paths.normalize(text).toLowerCase() : text);
  const ended = (text: string): string => (text.endsWith(paths.sep) ? text : text + paths.sep);
  const isInside = (folder: string, file: string): boolean => ended(fold(file)).startsWith(ended(fold(folder)));
  const real = (file: string): string | undefined => attempt(() => system.realpath(file));
  const parentsOf = (folder: string): readonly string[] => {
    const parents = [folder];
    for (let at = folder; paths.dirname(at) !== at; at = paths.dirname(at)) parents.push(paths.dirname(at));
    return parents;
  };
  const isRoot = (folder: string): boolean => paths.dirname(folder) === folder;
  const isHome = (folder: string): boolean => folder === home || folder === real(home);

  /** The folders whose content comes from anybody: the workspace, the current folder, and the repositories around them. */
  const foreign = new Set<string>();
  for (const [base, isGiven] of [[workspace, true] as const, [system.cwd, false] as const])
    for (const start of base === undefined ? [] : [paths.resolve(system.cwd, base), real(base) ?? base]) {
      if (!isRoot(start) && (isGiven || !isHome(start))) foreign.add(start);
      for (const parent of parentsOf(start)) {
        const isRepository = ['.git', 'node_modules'].some((name) => system.stat(paths.join(parent, name)));
        // The repository of a home folder is the user's own.
        if (isRepository && !isRoot(parent) && !isHome(parent)) foreign.add(parent);
      }
    }

  const hasWindowsOwner = (folder: string): boolean =>
    WINDOWS.some((name) => env[name] !== undefined && isInside(env[name], folder));
  /** Whether nobody else can put a file into a folder, by its real path. */
  const isKept = (folder: string): boolean =>
    isWindows
      ? hasWindowsOwner(folder)
      : parentsOf(folder).every((parent, index) => {
          const mode = system.stat(parent)?.mode ?? 0o002;
          // A link has no mode of its own; in a folder such as `/tmp` nobody can rename what belongs to another one.
          return (mode & KIND) === LINK || (mode & 0o002) === 0 || (index > 0 && (mode & STICKY) !== 0);
        });
  const isForeign = (folder: string): boolean => !isChosen && [...foreign].some((each) => isInside(each, folder));
  const isAbsolute = (folder: string): boolean => (isWindows ? /^[a-z]:[/\\]/i.test(folder) : paths.isAbsolute(folder));
  const isModules = (folder: string): boolean => fold(folder).split(/[/\\]/).includes('node_modules');
  const isUsable = (folder: string): boolean => {
    const there = isAbsolute(folder) ? real(folder) : undefined;
    return there !== undefined && (isChosen || ![folder, there].some((each) => isModules(each) || isForeign(each)));
  };

  const hasOwner = ({ uid: owner }: ProgramStats): boolean => uid === undefined || owner === 0 || owner === uid;
  const isOwn = (stats: ProgramStats): boolean =>
    hasOwner(stats) &&
    // A group of its own is the user alone; members of `admin` on macOS can become root.
    ((stats.mode & 0o020) === 0 || [0, uid].includes(stats.gid) || (system.platform === 'darwin' && stats.gid === 80));
  const root = env['SystemRoot'] ?? String.raw`C:\Windows`;
  const own = isWindows
    ? [paths.join(root, 'System32'), paths.join(root, String.raw`System32\WindowsPowerShell\v1.0`)]
    : SYSTEM;

  /** Whether a file, and each link on the way to it, lies where nobody else has put one; `isStrict`: and where nobody else can. */
  const isProgram = (file: string, isStrict: boolean): boolean => {
    let at = file;
    for (let links = 0; links < MAX_LINKS; links += 1) {
      const folder = real(paths.dirname(at));
      if (folder === undefined || isForeign(folder)) return false;
      at = paths.join(folder, paths.basename(at));
      const [stats, above] = [system.stat(at), system.stat(folder)];
      if (stats === undefined || above === undefined) return false;
      const isKeptHere = isChosen || isKept(folder);
      const isSystem = own.some((each) => real(each) === folder);
      if (!(isStrict ? isKeptHere && (isSystem || (isOwn(above) && isOwn(stats))) : isKeptHere || hasOwner(stats)))
        return false;
      if ((stats.mode & KIND) !== LINK) {
        if (!isWindows && ((stats.mode & 0o111) === 0 || (isStrict && (stats.mode & 0o002) !== 0))) return false;
        return (stats.mode & KIND) === FILE;
      }
      at = paths.resolve(folder, system.readLink(at));
    }
    return false;
  };
  return {
    isWindows,
    isKept,
    system: own.filter(isUsable),
    path: (path ?? env['PATH'] ?? env['Path'] ?? '').split(paths.delimiter).filter(isUsable),
    find(name: string, folders: readonly string[], endings: readonly string[], isStrict: boolean): string | undefined {
      // What is more than a name would lead elsewhere.
      if (!/^[^/\\:\0]+$/.test(name) || /^\.\.?$/.test(name)) return undefined;
      for (const folder of folders)
        for (const ending of endings) {
          const file = paths.join(folder, name + ending);
          if (isProgram(file, isStrict)) return file;
        }
      return undefined;
    },
  };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
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
    realpath: (path) => fs?.realpathSync.native(path) ?? path,
    readLink: (path) => fs?.readlinkSync(path) ?? path,
  };
}
