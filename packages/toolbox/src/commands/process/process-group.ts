import { attempt, signalGroup } from '@kernel/internal';
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The names of the processes that still run in a group; an empty name where the system does not say it. */
export function namesInGroup({ pid }: ChildProcess): readonly string[] {
  // Windows has no groups.
  const isThere = pid !== undefined && process.platform !== 'win32' && signalGroup(pid, 0);
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

/** What a process was given to write to, as the system names it: who has one of these was started by it. Empty where the system does not say it. */
export function givenTo({ pid }: ChildProcess): readonly string[] {
  // The process may have ended, or its id may belong to another user by now.
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
