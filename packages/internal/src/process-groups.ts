import { attempt } from './error-message.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Process groups that must not outlive this program, by the id of their leader. */
const guarded = new Set<number>();

/**
 * Makes sure that a process group ends with this program: at its exit, and when SIGINT, SIGTERM or SIGHUP ends it because nobody else
 * listens. Returns a function that stops this. SIGKILL cannot be intercepted.
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

/** Sends a signal to a group; Windows has none, there it goes to the leader. Returns whether there was anything to send it to. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  return attempt(() => process.kill(process.platform === 'win32' ? leader : -leader, signal)) === true;
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
