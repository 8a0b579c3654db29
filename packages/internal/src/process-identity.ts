import { attempt } from './error-message.ts';
import { isObject } from './json.ts';
import { node, nodeModule } from './platform.ts';
import { sha256Hex } from './sha256.ts';

/** Tells a process apart from every other one, as far as the system allows. Each field that the system does not tell is absent. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** A digest of the machine's id, which stays over its boots. */
  readonly machine?: string;
  /** The id of the machine's current boot. */
  readonly boot?: string;
  /** The namespaces that its id and its start are counted in: those of a container are its own. */
  readonly namespace?: string;
  readonly start?: string;
}

export interface ProcessView {
  readonly own: ProcessIdentity;
  /** When a process started, `ended` for one that only has not been waited for yet, or undefined where the system does not tell. */
  startOf(this: void, pid: number): string | undefined;
  /** Whether there is a process with an id, also one that may not be signaled. */
  exists(this: void, pid: number): boolean;
}

/** The initial PID namespace, which has the same number on every Linux; a container never has it. */
const MACHINE_NAMESPACE = 'pid:[4026531836]';
let view: ProcessView | undefined;

export function ownIdentity(): ProcessIdentity {
  return systemView().own;
}

/**
 * Whether the process of an identity, as another process wrote it, has certainly ended. False for what cannot be told from here: a process of another
 * machine or container, one that the system hides, or a text that is no identity.
 */
export function hasEnded(identity: unknown, from: ProcessView = systemView()): boolean {
  const { own } = from;
  if (!isObject(identity)) return false;
  const { pid, host, machine, boot, namespace, start } = identity;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0 || machine !== own.machine) return false;
  if (boot !== own.boot) {
    // What ran before the last boot has ended; but a container can move to another machine, and keep its name and its files.
    const isKnown = typeof boot === 'string' && own.boot !== undefined && machine !== undefined && host === own.host;
    return isKnown && typeof namespace === 'string' && namespace.startsWith(MACHINE_NAMESPACE);
  }
  if (namespace !== own.namespace || (boot === undefined && host !== own.host)) return false;
  const found = from.startOf(pid);
  if (found === 'ended') return true;
  if (found !== undefined && typeof start === 'string') return found !== start;
  return pid !== own.pid && !from.exists(pid);
}

function systemView(): ProcessView {
  if (view !== undefined) return view;
  const pid = node.process?.pid ?? 0;
  // In a new namespace, `/proc` may still be the one outside, which counts processes differently.
  const isOwnProc = readLink('/proc/self') === String(pid);
  const startOf = (id: number): string | undefined => (isOwnProc ? startIn(`/proc/${id}/stat`) : undefined);
  const boot = readText('/proc/sys/kernel/random/boot_id');
  const [machine, start] = [readText('/etc/machine-id'), startIn('/proc/self/stat')];
  const spaces = [readLink('/proc/self/ns/pid'), readLink('/proc/self/ns/time')].filter((each) => each !== undefined);
  const own: ProcessIdentity = {
    pid,
    host: nodeModule('node:os')?.hostname() ?? '',
    // The id itself is not to be shown to anyone.
    ...(machine && { machine: sha256Hex(`process identity ${machine}`).slice(0, 32) }),
    ...(boot && { boot }),
    ...(spaces.length > 0 && { namespace: spaces.join(' ') }),
    ...(start && { start }),
  };
  return (view = { own, startOf, exists: processExists });
}

/** Whether there is a process with an id, also one that may not be signaled. */
export function processExists(pid: number): boolean {
  try {
    node.process?.kill?.(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** The 22nd field, counted after the name, which may hold spaces: clock ticks since the boot. */
function startIn(path: string): string | undefined {
  const stat = readText(path);
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return state === 'Z' || state === 'X' ? 'ended' : fields[18];
}

function readText(path: string): string | undefined {
  return attempt(() => nodeModule('node:fs')?.readFileSync(path, 'utf8').trim());
}

function readLink(path: string): string | undefined {
  return attempt(() => nodeModule('node:fs')?.readlinkSync(path));
}
