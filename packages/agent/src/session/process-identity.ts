import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** What tells a process apart from another one that gets the same id later. */
export interface ProcessIdentity {
  /** The id of the process. */
  readonly pid: number;
  /** The name of the machine. */
  readonly host: string;
  /** The id of the machine's current boot; absent where the system has none. */
  readonly boot?: string;
  /** When the process started, in the system's own unit; absent where the system does not say. */
  readonly start?: string;
}

let cached: ProcessIdentity | undefined;

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return (cached ??= readOwnIdentity());
}

function readOwnIdentity(): ProcessIdentity {
  const boot = readText('/proc/sys/kernel/random/boot_id');
  const start = startOf(process.pid);
  return { pid: process.pid, host: hostname(), ...(boot && { boot }), ...(start && { start }) };
}

/**
 * Whether the process of an identity may still run. One of another machine counts as running, since nobody here can tell. `isOwn` says
 * whether this process wrote the identity; it counts where the system does not say when a process started.
 */
export function mayRun(identity: ProcessIdentity, own: ProcessIdentity, isOwn: boolean): boolean {
  const { pid, host, boot, start } = identity;
  if (boot !== own.boot) return host !== own.host;
  if (boot === undefined && host !== own.host) return true;
  if (start !== undefined) return startOf(pid) === start;
  if (pid === own.pid) return isOwn;
  return isAlive(pid);
}

/** Whether a process of this id, which an earlier release wrote into a lock, may be the one that did. */
export function mayHaveWritten(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid || !isAlive(pid)) return false;
  // The first process of a machine always runs. It is a writer only in a container, where it is a program like this one.
  return pid !== 1 || readText('/proc/1/comm') === readText('/proc/self/comm');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** When a process started, in clock ticks since the boot: the 22nd field, counted after the name, which may hold spaces. */
function startOf(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
