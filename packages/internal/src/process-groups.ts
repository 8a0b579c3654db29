import { attempt } from './error-message.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const guarded = new Set<() => void>();

/**
 * Makes sure that a process group ends with this program: at its exit, and when SIGINT, SIGTERM or SIGHUP ends it because nobody else
 * listens. Returns a function that stops this. SIGKILL cannot be intercepted.
 */
export const guardGroup = (leader: number): (() => void) => guardExit(() => signalGroup(leader, 'SIGKILL'));

/** Has some work done when this program ends, as `guardGroup` does: it cannot wait for anything, and must not throw. What was asked for last is done first. */
export function guardExit(work: () => void): () => void {
  if (guarded.size === 0) {
    process.on('exit', endAll);
    for (const signal of SIGNALS) process.on(signal, onSignal);
  }
  guarded.add(work);
  return () => {
    if (!guarded.delete(work) || guarded.size > 0) return;
    process.off('exit', endAll);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

/** Sends a signal to a group; Windows has none, there it goes to the leader. Returns whether there was anything to send it to. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  return attempt(() => process.kill(process.platform === 'win32' ? leader : -leader, signal)) === true;
}

/**
 * Completes a program's variables. With SHLVL below 1 or above 998, bash takes Node's pipe for a remote login and reads
 * ~/.bashrc.
 */
export const childVariables = <Variables>(named: Variables) => ({ ...named, SHLVL: '1' });

const endAll = (): void => [...guarded].toReversed().forEach((work) => work());

/** If another listener exists, it decides what the signal means; otherwise the signal ends this program as it would have without us. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  endAll();
  for (const each of SIGNALS) process.off(each, onSignal);
  process.kill(process.pid, signal);
}
