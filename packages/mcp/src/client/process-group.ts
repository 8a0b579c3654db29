import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 15;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Process groups that must not outlive this program, by the id of their leader. */
const live = new Set<number>();

/**
 * Takes care that a group ends with this program: at its exit, and when one of SIGINT, SIGTERM and SIGHUP that nobody else listens to ends it.
 * Returns the undo. Only SIGKILL can't be heard; then the closed standard input tells a server to end.
 */
export function guardGroup(leader: number): () => void {
  if (live.size === 0) {
    process.on('exit', killAll);
    for (const signal of SIGNALS) process.on(signal, onSignal);
  }
  live.add(leader);
  return () => {
    if (!live.delete(leader) || live.size > 0) return;
    process.off('exit', killAll);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

/** Ends what is left of a group: SIGTERM, and SIGKILL to what is there after `graceMs`. Resolves when nothing is left. */
export async function endGroup(leader: number, graceMs: number): Promise<void> {
  if (process.platform === 'win32') return endTree(leader);
  if (!signalGroup(leader, 'SIGTERM')) return;
  if (await groupEnds(leader, graceMs)) return;
  signalGroup(leader, 'SIGKILL');
  await groupEnds(leader, graceMs);
}

/** Resolves to whether a group has ended within a time. */
export async function groupEnds(leader: number, withinMs: number): Promise<boolean> {
  const untilMs = performance.now() + withinMs;
  while (signalGroup(leader, 0)) {
    if (performance.now() >= untilMs) return false;
    await delay(POLL_MS);
  }
  return true;
}

/** Returns whether the group was there. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(process.platform === 'win32' ? leader : -leader, signal);
    return true;
  } catch {
    return false;
  }
}

/** Windows has no process groups: `taskkill` ends a process with those that it started. */
function endTree(leader: number): Promise<void> {
  return new Promise((resolve) => {
    const kill = spawn('taskkill', ['/pid', String(leader), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
    kill.once('error', () => resolve());
    kill.once('close', () => resolve());
  });
}

function killAll(): void {
  for (const leader of live) signalGroup(leader, 'SIGKILL');
}

/** Another listener decides what the signal means; without one it ends this program as if nobody had listened. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killAll();
  for (const each of SIGNALS) process.off(each, onSignal);
  process.kill(process.pid, signal);
}
