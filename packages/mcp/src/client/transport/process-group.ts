import { attempt, delay, findProgram } from '@kernel/internal';
import { spawn } from 'node:child_process';

const POLL_MS = 15;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Process groups that must not outlive this program, by the id of their leader. */
const guarded = new Set<number>();

/**
 * Makes sure that a process group ends with this program: at its exit, and when SIGINT, SIGTERM or SIGHUP ends it because nobody else
 * listens. Returns a function that stops this. SIGKILL cannot be intercepted; then the closed standard input tells a server to end.
 */
export function guardGroup(leader: number): () => void {
  if (guarded.size === 0) {
    process.on('exit', killAll);
    for (const signal of SIGNALS) process.on(signal, onSignal);
  }
  guarded.add(leader);
  return () => {
    if (!guarded.delete(leader) || guarded.size > 0) return;
    process.off('exit', killAll);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

/** Ends what is left of a group: SIGTERM, then SIGKILL to what is left after `graceMs`. Resolves when nothing is left. */
export async function endGroup(leader: number, graceMs: number): Promise<void> {
  if (process.platform === 'win32') return endTree(leader);
  if (!signalGroup(leader, 'SIGTERM')) return;
  if (await hasGroupEnded(leader, graceMs)) return;
  signalGroup(leader, 'SIGKILL');
  await hasGroupEnded(leader, graceMs);
}

export async function hasGroupEnded(leader: number, timeoutMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  while (signalGroup(leader, 0)) {
    if (performance.now() >= deadlineMs) return false;
    await delay(POLL_MS);
  }
  return true;
}

function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  return attempt(() => process.kill(process.platform === 'win32' ? leader : -leader, signal)) === true;
}

/** Windows has no process groups: `taskkill` ends a process with its descendants. Where that is absent, only the process itself is ended. */
function endTree(leader: number): Promise<void> {
  const program = findProgram('taskkill');
  return new Promise((resolve) => {
    if (program === undefined) {
      signalGroup(leader, 'SIGKILL');
      return resolve();
    }
    const kill = spawn(program, ['/pid', String(leader), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
    kill.once('error', () => resolve());
    kill.once('close', () => resolve());
  });
}

function killAll(): void {
  for (const leader of guarded) signalGroup(leader, 'SIGKILL');
}

/** If another listener exists, it decides what the signal means; otherwise the signal ends this program as it would have without us. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killAll();
  for (const each of SIGNALS) process.off(each, onSignal);
  process.kill(process.pid, signal);
}
