import { attempt } from '@kernel/internal';
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const groups = new Set<number>();

export function endGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid !== undefined) signalGroup(child.pid, signal);
}

/** The names of the processes that still run in a group; an empty name where the system does not say it. */
export function namesInGroup({ pid }: ChildProcess): readonly string[] {
  // Windows has no groups.
  const isThere = pid !== undefined && process.platform !== 'win32' && attempt(() => process.kill(-pid, 0)) === true;
  if (!isThere) return [];
  return saysProcesses() ? processIds().flatMap((id) => nameIfIn(id, pid)) : [''];
}

/** Whether the system says which processes run, by the ids that this process knows. */
export function saysProcesses(): boolean {
  return process.platform === 'linux' && readlinkSync('/proc/self') === String(process.pid);
}

export function processIds(): readonly string[] {
  return readdirSync('/proc').filter((id) => /^\d+$/.test(id));
}

function nameIfIn(id: string, group: number): readonly string[] {
  // `pid (name) state parent group …`; a name may have parentheses. One that has ended has none.
  const stat = attempt(() => readFileSync(`/proc/${id}/stat`, 'latin1')) ?? '';
  const end = stat.lastIndexOf(')');
  const [state = '', , ofGroup] = stat.slice(end + 2).split(' ', 3);
  return Number(ofGroup) === group && !/[XZ]/.test(state) ? [stat.slice(stat.indexOf('(') + 1, end)] : [];
}

/** Kills the group of a process when this process exits, or a signal ends it. Returns a function that ends that. */
export function trackGroup(pid: number | undefined): () => void {
  if (pid === undefined) return () => undefined;
  if (groups.size === 0) {
    process.on('exit', killAll);
    for (const signal of DEADLY) process.on(signal, onSignal);
  }
  groups.add(pid);
  return () => {
    if (!groups.delete(pid) || groups.size > 0) return;
    process.off('exit', killAll);
    for (const signal of DEADLY) process.off(signal, onSignal);
  };
}

const DEADLY = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Does what the system does, after the groups are ended. Where the program has a listener of its own, what happens is for that one to say. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killAll();
  process.off(signal, onSignal);
  process.kill(process.pid, signal);
}

function killAll(): void {
  for (const pid of groups) signalGroup(pid, 'SIGKILL');
}

function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  // A negative id is that of a group; Windows has none. One that has ended is no error.
  attempt(() => process.kill(process.platform === 'win32' ? pid : -pid, signal));
}

/** What a process was given to write to, as the system names it: who has one of these was started by it. Empty where the system does not say it. */
export function givenTo({ pid }: ChildProcess): readonly string[] {
  // It may have ended, or be another user by now.
  const isTold = pid !== undefined && attempt(saysProcesses) === true;
  return (isTold ? attempt(() => [1, 2, 3].map((each) => readlinkSync(`/proc/${pid}/fd/${each}`))) : undefined) ?? [];
}

/** The names of the processes that have something that one was given; an empty name where the system does not say it. With `isEnded` they are killed, and those that were are left out. */
export function namesOfHolders(given: readonly string[], isEnded: boolean): readonly string[] {
  const holders = given.length === 0 ? [] : processIds().filter((id) => has(id, given));
  if (holders.length === 0) return [''];
  return holders.filter((id) => !isEnded || attempt(() => process.kill(Number(id), 'SIGKILL')) !== true).map(nameOf);
}

function has(id: string, given: readonly string[]): boolean {
  // It may have ended, belong to another user, or have closed one.
  const linkOf = (name: string): string => attempt(() => readlinkSync(`/proc/${id}/fd/${name}`)) ?? '';
  return attempt(() => readdirSync(`/proc/${id}/fd`))?.some((name) => given.includes(linkOf(name))) === true;
}

function nameOf(id: string): string {
  return attempt(() => readFileSync(`/proc/${id}/comm`, 'utf8').trim()) ?? '';
}
