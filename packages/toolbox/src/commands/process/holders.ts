import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { processIds, saysProcesses } from './process-group.ts';

/** What a process was given to write to, as the system names it: who has one of these was started by it. Empty where the system does not say it. */
export function givenTo({ pid }: ChildProcess): readonly string[] {
  try {
    return pid !== undefined && saysProcesses() ? [1, 2, 3].map((each) => readlinkSync(`/proc/${pid}/fd/${each}`)) : [];
  } catch {
    return []; // it has ended, or is another user by now
  }
}

/** The names of the processes that have something that one was given; an empty name where the system does not say it. With `isEnded` they are killed, and those that were are left out. */
export function namesOfHolders(given: readonly string[], isEnded: boolean): readonly string[] {
  const holders = given.length === 0 ? [] : processIds().filter((id) => has(id, given));
  if (holders.length === 0) return [''];
  return holders.filter((id) => !isEnded || !kill(Number(id))).map(nameOf);
}

function has(id: string, given: readonly string[]): boolean {
  try {
    return readdirSync(`/proc/${id}/fd`).some((each) => given.includes(linkOf(`/proc/${id}/fd/${each}`)));
  } catch {
    return false; // it has ended, or belongs to another user
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // it was closed
  }
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

function nameOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}
