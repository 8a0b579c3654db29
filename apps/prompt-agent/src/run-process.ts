import { homedir } from 'node:os';
import { main } from './main.ts';

/** How long a clean stop may take after Ctrl-C before the process exits anyway. */
const GRACE_MS = 800;

/** Runs the program on this process: its arguments, environment, streams and signals. Sets the exit code. */
export async function runProcess(): Promise<void> {
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort(new Error('interrupted'));
    setTimeout(() => process.exit(130), GRACE_MS).unref();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.exitCode = await main({
    argv: process.argv.slice(2),
    env: process.env,
    cwd: currentFolder(),
    home: homedir(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: stop.signal,
  });
  process.off('SIGINT', onSignal);
  process.off('SIGTERM', onSignal);
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}
