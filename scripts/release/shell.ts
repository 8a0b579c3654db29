import { type ChildProcess, execFile, type ExecFileOptions } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { promisify } from 'node:util';

/** Only to end what hangs. */
const TIMEOUT_MS = 300_000;

/** A Node to run things on. */
export interface NodeBinary {
  readonly name: string;
  readonly path: string;
}

/** Runs a program and returns what it printed. Throws with `failure` and all of its output when it fails. */
export async function run(
  failure: string,
  command: string,
  args: readonly string[],
  options: ExecFileOptions & { readonly cwd: string },
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  try {
    const running = promisify(execFile)(command, args, {
      encoding: 'utf8',
      maxBuffer: 64 << 20,
      timeout: TIMEOUT_MS,
      ...options,
    });
    // A program that reads its input must not wait for it.
    running.child.stdin?.end();
    const stop = endWithProcess(running.child);
    const { stdout, stderr } = await running.finally(stop);
    return { stdout: String(stdout), stderr: String(stderr) };
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
    throw new Error(`${failure}: ${stdout}${stderr}`.trimEnd() + (stdout + stderr === '' ? message : ''), {
      cause: error,
    });
  }
}

/** Ends a child when this process exits, whatever the reason. Returns how to leave it alone again. */
export function endWithProcess(child: ChildProcess): () => void {
  const end = (): void => void child.kill();
  process.once('exit', end);
  return () => void process.off('exit', end);
}

/** Lets a signal that asks this process to end run its `exit` listeners. */
export function exitOnSignals(): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => process.exit(code));
}

/** The environment in which `node`, and so npm, is this one; connections to this machine take no proxy. */
export function environmentOf(node: NodeBinary): NodeJS.ProcessEnv {
  const { NO_PROXY, no_proxy: noProxy, NODE_OPTIONS: _flags, ...env } = process.env;
  const direct = [NO_PROXY ?? noProxy ?? '', '127.0.0.1'].filter(Boolean).join(',');
  const path = [dirname(node.path), process.env['PATH'] ?? ''].join(delimiter);
  return { ...env, PATH: path, NO_PROXY: direct, no_proxy: direct };
}

/** Does all of the work, at most `limit` at once, and returns every failure. */
export async function runAll(work: readonly (() => Promise<unknown>)[], limit: number): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  const rest = work.values();
  const worker = async (): Promise<void> => {
    for (const job of rest) await job().catch((error: unknown) => void failures.push(error));
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return failures;
}
