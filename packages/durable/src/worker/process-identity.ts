import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isObject } from '@kernel/internal';

/** Identifies a process, as far as the operating system allows. */
export interface ProcessIdentity {
  /** Its id. */
  readonly pid: number;
  /** The machine since its last boot, and the container whose process ids it uses. */
  readonly machine: string;
  /** When it started, in the system's own unit; absent where the system does not tell. */
  readonly start?: string;
}

let own: ProcessIdentity | undefined;

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return (own ??= { pid: process.pid, machine: machineOf(), ...startOf(process.pid) });
}

/** Whether the process of a stored identity has ended. False if that cannot be told from here. */
export function hasEnded(identity: unknown): boolean {
  if (!isObject(identity)) return false;
  const { pid, machine, start } = identity;
  if (typeof pid !== 'number' || machine !== ownIdentity().machine) return false;
  if (typeof start === 'string') return startOf(pid).start !== start;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

function machineOf(): string {
  const boot = read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const container = read(() => readlinkSync('/proc/self/ns/pid'));
  return boot === undefined || container === undefined ? hostname() : `${boot} ${container}`;
}

/** The start time of a process: field 22 of `stat`, counted from behind the name, which may contain spaces. A zombie has ended. */
function startOf(pid: number): { readonly start?: string } {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const start = state === 'Z' || state === 'X' ? undefined : fields[18];
  return start === undefined ? {} : { start };
}

function read<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
