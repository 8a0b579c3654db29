import { attempt } from './error-message.ts';
import { nodeModule } from './platform.ts';

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

let inherited: readonly number[] | undefined;
let constant: number | undefined;

/** Completes the standard streams of a child, so that it gets no inherited descriptor. Only on Linux does Node pass any on. */
export function childStreams<const Streams extends ('pipe' | 'ignore')[]>(...named: Streams): Streams {
  const fs = nodeModule('node:fs');
  const open = (path: string) => attempt(() => fs?.openSync(path, 'r'));
  inherited ??= (attempt(() => fs?.readdirSync('/proc/self/fdinfo')) ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)
    .filter((each) => {
      const info = attempt(() => fs?.readFileSync(`/proc/self/fdinfo/${each}`, 'latin1')) ?? '';
      // What this process itself opens has O_CLOEXEC.
      return each > 2 && (parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '2000000', 8) & 0o2000000) === 0;
    });
  const streams: unknown[] = named;
  for (const each of inherited.filter((descriptor) => descriptor >= named.length)) {
    while (streams.length < each) streams.push('ignore');
    // In its place is what root cannot change either: through a descriptor it could change the mode of a file.
    streams.push((constant ??= open('/proc/sys/kernel/ostype') ?? open('/dev/null')));
  }
  return named;
}

const endAll = (): void => [...guarded].toReversed().forEach((work) => work());

/** If another listener exists, it decides what the signal means; otherwise the signal ends this program as it would have without us. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  endAll();
  for (const each of SIGNALS) process.off(each, onSignal);
  process.kill(process.pid, signal);
}
