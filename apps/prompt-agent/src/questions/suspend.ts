import type { Interface } from 'node:readline';
import type { Host } from '../host.ts';

/** How long the program gets to stop, in milliseconds: the time counts only while it runs. */
const STOP_MS = 50;

/**
 * Lets Ctrl-Z stop the program and what it started, as the shell expects. When the program goes on, a line editor gets
 * the terminal back, which the shell has had meanwhile. Returns a function that stops listening.
 */
export function stopOnCtrlZ(
  editor: Interface,
  stdin: Host['stdin'],
  { stop, resume }: { readonly stop: () => void; readonly resume: () => void },
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const back = (): void => {
    clearTimeout(timer);
    // What Node takes for the mode of the terminal is what it was before the stop.
    stdin.setRawMode?.(false);
    stdin.setRawMode?.(true);
    resume();
  };
  editor.on('SIGTSTP', () => {
    stop();
    stdin.setRawMode?.(false);
    process.kill(0, 'SIGTSTP');
    // Where nothing can let it go on, such as without a shell, the system does not stop it.
    timer = setTimeout(back, STOP_MS);
  });
  process.on('SIGCONT', back);
  return () => {
    clearTimeout(timer);
    process.off('SIGCONT', back);
  };
}
