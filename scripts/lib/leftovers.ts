import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** What tools keep in the home on purpose, as paths within it: npm, pnpm, corepack, Node, turbo and vitest. */
const CACHES = new Set([
  '.npm',
  '.cache/node',
  '.cache/pnpm',
  '.cache/turborepo',
  '.local/share/pnpm',
  '.local/share/vitest',
  '.local/state/pnpm',
  '.config/turborepo',
  '.config/pnpm',
]);
/** The folders that those are in. */
const AROUND_CACHES = new Set(
  [...CACHES].flatMap((path) => path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'))),
);
/** What tools keep in the temp folder while other commands may still use it. */
const OF_TOOLS = /^(?:node-compile-cache|pnpm-?\S*|npm-\S+|v8-compile-cache-\S*)$/;

/** The paths of the entries of a folder, down to a depth, relative to it and sorted, without the caches of tools. */
export function entriesOf(folder: string, depth: number, within = ''): readonly string[] {
  const entries = readFolder(join(folder, within)).flatMap((entry) => {
    const path = within === '' ? entry.name : `${within}/${entry.name}`;
    if (CACHES.has(path) || OF_TOOLS.test(path)) return [];
    const inner = depth > 1 && entry.isDirectory() ? entriesOf(folder, depth - 1, path) : [];
    return AROUND_CACHES.has(path) ? inner : [path, ...inner];
  });
  return entries.toSorted();
}

/** Those of the later entries that are not among the earlier ones, and not within another new entry. */
export function newEntries(before: readonly string[], after: readonly string[]): readonly string[] {
  const known = new Set(before);
  const fresh = after.filter((path) => !known.has(path));
  return fresh.filter((path) => !fresh.some((other) => path.startsWith(`${other}/`)));
}

/**
 * The processes that came from the folders, as `id command (listens on ports)`: their working folder, command or environment names one, or they
 * have been started since `sinceMs` with an environment so empty that it does not show where they came from. Left out are this process, those
 * that it descends from, and what those have started beside it: pnpm starts a shell that watches over what it runs. What a test leaves behind
 * belongs to the system's first process. Reads `/proc`, so that on other systems than Linux there are none.
 */
export function processesIn(
  folders: readonly string[],
  { self = process.pid, sinceMs = Date.now() }: { readonly self?: number; readonly sinceMs?: number } = {},
): readonly string[] {
  const own = ancestorsOf(self);
  const ports = listeningPorts();
  return readFolder('/proc').flatMap(({ name }) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || own.has(pid)) return [];
    const parent = parentOf(pid);
    if (parent > 1 && own.has(parent)) return [];
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    // A thread of the kernel, or a process that has ended, has no command.
    if (command === '') return [];
    const environment = read(`/proc/${pid}/environ`);
    const texts = [link(`/proc/${pid}/cwd`), command, environment];
    const isNew = !/(?:^|\0)HOME=/.test(environment) && startedMs(pid) >= sinceMs;
    if (!isNew && !folders.some((folder) => texts.some((text) => text.includes(folder)))) return [];
    const listens = readFolder(`/proc/${pid}/fd`).flatMap((fd) => ports.get(link(`/proc/${pid}/fd/${fd.name}`)) ?? []);
    return [`${pid} ${command.slice(0, 200)}${listens.length === 0 ? '' : ` (listens on ${listens.join(', ')})`}`];
  });
}

function ancestorsOf(pid: number): ReadonlySet<number> {
  const found = new Set<number>();
  for (let next = pid; next > 0 && !found.has(next);) {
    found.add(next);
    next = parentOf(next);
  }
  return found;
}

/** When a process started, as a time stamp, to a second; 0 if it has ended. */
function startedMs(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  // `pid (name) state …`, of which the 22nd field is the start in hundredths of a second since the system's; a name may have parentheses.
  const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? Number.NaN);
  const bootS = Number(/^btime (\d+)$/m.exec(read('/proc/stat'))?.[1]);
  return Number.isFinite(ticks) ? (bootS + ticks / 100) * 1_000 : 0;
}

/** 0 where the process has none, or has ended. */
function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
}

/** The ports that are listened on, by the socket as `/proc/<pid>/fd` names it. */
function listeningPorts(): ReadonlyMap<string, number> {
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => read(file).split('\n').slice(1));
  return new Map(
    lines.flatMap((line) => {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      return state === '0A' ? [[`socket:[${inode}]`, Number.parseInt(local.split(':').at(-1) ?? '', 16)]] : [];
    }),
  );
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // gone, or not ours to read
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function link(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
