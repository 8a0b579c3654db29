import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  childStreams,
  childVariables,
  createRedactor,
  delay,
  findOnPath,
  guardGroup,
  programPath,
  signalGroup,
  sliceHead,
  sliceTail,
  visibleText,
} from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { CheckedOptions } from '../check-options.ts';

/** A running agent. */
export interface AgentProcess {
  /** What it reads, and what it writes. */
  readonly streams: readonly [input: WritableStream<Uint8Array>, output: ReadableStream<Uint8Array>];
  /** Resolves when it has ended, to a sentence that says how, with the last lines of what it wrote to stderr. Never rejects. */
  readonly ended: Promise<string>;
  /** Closes its input, gives it a moment, and kills its process group. Resolves when it has ended. */
  close(): Promise<void>;
}

/** Starts an agent in a folder. */
export type StartAgent = typeof startAgent;

/** What every program needs, and where agents keep how they were signed in. None of them usually holds a secret. */
const VARIABLES = `PATH HOME USER LOGNAME SHELL TMPDIR TZ LANG LANGUAGE LC_ALL LC_CTYPE XDG_CONFIG_HOME XDG_DATA_HOME
  XDG_STATE_HOME XDG_CACHE_HOME SystemRoot ComSpec PATHEXT TEMP TMP APPDATA LOCALAPPDATA USERPROFILE`.split(/\s+/);
const NO_PROGRAM: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program',
  EACCES: 'it is not executable',
  ENOEXEC: 'it is not a program for this system',
};

const MAX_STDERR = 4_000;
/** How long an agent may take to end by itself once its input is closed, and after SIGTERM. */
const GRACE_MS = 500;

/** Starts the agent in a folder, in a process group of its own. Rejects with `TOOL_UNAVAILABLE` if it cannot be started. */
export async function startAgent(
  { command, args, env, workspace }: Pick<CheckedOptions, 'command' | 'args' | 'env' | 'workspace'>,
  folder: string,
): Promise<AgentProcess> {
  const inherited = Object.fromEntries(VARIABLES.map((name) => [name, process.env[name]]));
  const program = programOf(command, env['PATH'], workspace.folder);
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(programPath(program), args, {
    cwd: folder,
    env: childVariables({ ...inherited, ...env }),
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: childStreams('pipe', 'pipe', 'pipe'),
  });
  // An agent that ends breaks the pipe: how it ended is said by `ended`.
  child.stdin.on('error', () => undefined);
  const { pid } = child;
  if (pid === undefined) {
    const errors: readonly unknown[] = await once(child, 'error');
    const cause = errors[0];
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'the system refused';
    throw startError(command, NO_PROGRAM[code] ?? code, { cause });
  }
  const unguard = guardGroup(pid);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = sliceTail(stderr + text, MAX_STDERR * 2);
  });
  const redactor = createRedactor(Object.values(env));
  child.on('error', () => undefined);
  const ended = new Promise<string>((done) => {
    child.once('exit', (code, signal) => {
      // What it started goes with it.
      signalGroup(pid, 'SIGKILL');
      unguard();
      const how = signal === null ? `with exit code ${code ?? 0}` : `by ${signal}`;
      // What it wrote last may still be in the pipe; who else holds that open is not waited for.
      setImmediate(() => {
        child.stderr.destroy();
        const last = sliceTail(visibleText(redactor.text(stderr.trim())), MAX_STDERR);
        done(`The agent ended ${how}${last === '' ? '.' : `, and wrote: ${last}`}`);
      });
    });
  });
  const close = async (): Promise<void> => {
    child.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await endsWithin(ended, GRACE_MS)) break;
      signalGroup(pid, signal);
    }
    await ended;
    child.stdout.destroy();
    child.stdin.destroy();
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of Node and of the web name the same stream
  const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  return { streams: [Writable.toWeb(child.stdin), output], ended, close };
}

function programOf(command: string, ownPath: string | undefined, workspace: string | undefined): string {
  if (/[/\\]/.test(command)) return resolve(command);
  const found = findOnPath(command, { workspace, path: ownPath, isPathTrusted: ownPath !== undefined });
  if (found !== undefined) return found;
  throw startError(command, 'there is no such program on the PATH', {
    hint: 'Install it, or give its path. One in the workspace, or in a repository around it, is started by its path alone.',
  });
}

function startError(command: string, why: string, more: ErrorOptions & { readonly hint?: string }): KernelError {
  const named = JSON.stringify(sliceHead(command, 200));
  return new KernelError('TOOL_UNAVAILABLE', `The agent ${named} cannot be started: ${why}.`, more);
}

/** Whether some work ends within a time, in milliseconds. Leaves no timer behind. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = new AbortController();
  const elapsed = delay(ms, settled.signal).then(() => false);
  const hasEnded = await Promise.race([work.then(() => true), elapsed]);
  settled.abort();
  return hasEnded;
}
