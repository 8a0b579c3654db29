import { type ChildProcess, type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import {
  childStreams,
  childVariables,
  guardGroup,
  inNextTurn,
  onAbort,
  programPath,
  signalGroup,
  sliceHead,
} from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { IsolatedCommand } from '../isolation/types.ts';
import { clean } from './output-buffer.ts';
import { givenTo, namesInGroup, namesOfHolders } from './process-group.ts';

export interface ProcessOptions {
  readonly cwd: string;
  readonly input: string;
  /** Time limit in milliseconds; Infinity means none. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (bytes: Uint8Array) => void;
}

export interface ProcessEnd {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly stoppedBy: 'timeout' | 'abort' | undefined;
  readonly durationMs: number;
  /** The names of the processes that it had left running, which were ended with it; an empty one where the system does not say it. */
  readonly leftRunning: readonly string[];
  /** The names of processes that it detached from itself, and that still run; an empty one where the system does not say it. Their output is not read any more. */
  readonly detached: readonly string[];
  /** The files that it had left for other users to run with its rights, which they no longer have. */
  readonly cleared?: readonly string[];
  /** What limited it. */
  readonly limits?: string | undefined;
}

/** How long setting up an isolation may take. It takes milliseconds, unless the machine is busy, or an image is to be loaded. */
const SETUP_MS = 60_000;
const LOAD_MS = 600_000;
const MAX_SETUP = 65_536;
const GRACE_MS = 2_000;
const DRAIN_MS = 500;
const MAX_ANNOUNCED = 4096;

/**
 * Starts a process in a group of its own. Resolves when it has ended, and everything that it started with it: what is left of the group is killed, so that no
 * process outlives its command, unless it detached itself. On a timeout or an abort the group gets SIGTERM, and two seconds later SIGKILL, and so do processes
 * that detached themselves, where the system says which these are. Time counts from when the command itself starts.
 *
 * Rejects with `TOOL_FAILED` if the program cannot be started, or its isolation ends before it is.
 */
export async function startProcess(command: IsolatedCommand, options: ProcessOptions): Promise<ProcessEnd> {
  options.signal.throwIfAborted();
  const child = spawnChild(command, options.cwd);
  let startedMs = performance.now();
  return new Promise((resolve, reject) => {
    let stoppedBy: ProcessEnd['stoppedBy'];
    let failure: KernelError | undefined;
    let timer: NodeJS.Timeout | undefined;
    let killTimer: NodeJS.Timeout | undefined;
    const { pid } = child;
    const unguard = pid === undefined ? undefined : guardGroup(pid);
    const endGroup = (signal: 'SIGTERM' | 'SIGKILL'): void => {
      if (pid !== undefined) signalGroup(pid, signal);
    };
    const stop = (reason: 'timeout' | 'abort'): void => {
      if (stoppedBy !== undefined) return;
      stoppedBy = reason;
      endGroup('SIGTERM');
      const { stop: stopper, variables } = command;
      if (stopper !== undefined)
        execFile(programPath(stopper.program), stopper.args, { env: childVariables(variables) }, () => undefined);
      killTimer = setTimeout(() => endGroup('SIGKILL'), GRACE_MS);
    };
    const removeAbort = onAbort(options.signal, () => stop('abort'));
    let hasBegun = false;
    /** What the isolation has written so far: the reason, if the command does not start. */
    let setup = Buffer.alloc(0);
    const begin = (): void => {
      hasBegun = true;
      clearTimeout(timer);
      startedMs = performance.now();
      if (Number.isFinite(options.timeoutMs)) timer = setTimeout(inNextTurn, options.timeoutMs, onTimeout);
    };
    /** Runs after ends were noticed: where this program was stopped for longer than the time limit, the command may have ended in time. */
    const onTimeout = (): void => {
      if (child.exitCode === null && child.signalCode === null) stop('timeout');
    };
    const third = child.stdio[3];
    const announcement = command.announcesStart === true && third instanceof Readable ? third : undefined;
    const given = command.announcesStart === undefined ? givenTo(child) : [];
    let announced = '';
    const mark = typeof command.announcesStart === 'string' ? Buffer.from(`${command.announcesStart}\n`) : undefined;
    announcement?.once('data', begin);
    announcement?.setEncoding('utf8').on('data', (text: string) => {
      announced = sliceHead(announced + text, MAX_ANNOUNCED);
    });
    if (announcement === undefined && mark === undefined) begin();
    else {
      const limitMs = mark === undefined ? SETUP_MS : LOAD_MS;
      timer = setTimeout(() => {
        failure = new KernelError(
          'TOOL_FAILED',
          `The isolation was not set up within ${limitMs} ms: the command did not start.`,
        );
        stop('timeout');
      }, limitMs);
    }
    const onError = (bytes: Buffer): void => {
      if (hasBegun) {
        options.onOutput(bytes);
        return;
      }
      setup = Buffer.concat([setup, bytes]);
      const at = mark === undefined ? -1 : setup.indexOf(mark);
      const rest = mark === undefined ? bytes : setup.subarray(at === -1 ? setup.length : at + mark.length);
      setup = setup.subarray(-MAX_SETUP);
      if (at !== -1) begin();
      if (rest.length > 0) options.onOutput(rest);
    };
    const release = (): void => {
      clearTimeout(timer);
      clearTimeout(killTimer);
      removeAbort();
      unguard?.();
    };

    child.on('error', (error) => {
      release();
      reject(startError(command.program, error));
    });
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      const inGroup = namesInGroup(child);
      endGroup('SIGKILL');
      const durationMs = performance.now() - startedMs;
      resolve(
        drained(child).then((isHeld) => {
          release();
          if (failure !== undefined) throw failure;
          if (!hasBegun && stoppedBy === undefined) throw setupError(setup, code);
          return {
            exitCode: code ?? undefined,
            signal: signal ?? undefined,
            stoppedBy,
            durationMs,
            leftRunning: announcement === undefined ? inGroup : announced.split('\n').slice(1, -1),
            detached: isHeld ? namesOfHolders(given, stoppedBy !== undefined) : [],
          };
        }),
      );
    });
    // Without an announcement nobody writes to this pipe: it only shows which processes hold it open.
    if (announcement === undefined && third instanceof Readable) third.resume();
    child.stdout.on('data', options.onOutput);
    child.stderr.on('data', onError);
    // A program that does not read its input, or ends first, breaks the pipe: that is its own business.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input);
  });
}

function spawnChild(
  { announcesStart, args, program, variables }: IsolatedCommand,
  cwd: string,
): ChildProcessWithoutNullStreams {
  const hasFourth = announcesStart === true || (announcesStart === undefined && process.platform !== 'win32');
  try {
    const child = spawn(programPath(program), args, {
      cwd,
      env: childVariables(variables),
      detached: process.platform !== 'win32',
      windowsHide: true,
      // The fourth is for what announces its start, or tells who was started by a command that is not isolated.
      stdio: childStreams('pipe', 'pipe', 'pipe', ...(hasFourth ? ['pipe' as const] : [])),
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the first three are pipes
    return child;
  } catch (error) {
    throw startError(program, error instanceof Error ? error : new Error(String(error)));
  }
}

/** Resolves once the output has been read. A process that left the group may keep the pipes open, so there is a limit: resolves to whether it was reached. */
async function drained(child: ChildProcess): Promise<boolean> {
  const streams = child.stdio.slice(1).filter((stream) => stream instanceof Readable);
  let isHeld = false;
  const timer = setTimeout(() => {
    isHeld = true;
    for (const stream of streams) stream.destroy();
  }, DRAIN_MS);
  await Promise.all(streams.filter((stream) => !stream.closed).map((stream) => once(stream, 'close')));
  clearTimeout(timer);
  return isHeld;
}

function setupError(setup: Uint8Array, code: number | null): KernelError {
  const said =
    sliceHead(clean(setup).trim().replace(/\.$/, ''), 1000) ||
    (code === null ? 'the isolation was ended by a signal' : `the isolation ended with exit code ${code}`);
  return new KernelError('TOOL_FAILED', `The command did not start: ${said}.`);
}

function startError(program: string, error: NodeJS.ErrnoException): KernelError {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such program',
    EACCES: 'it is not executable',
    E2BIG: 'its arguments are too long',
    ENOEXEC: 'it is not a program for this system',
  };
  const refused = error instanceof TypeError ? 'its isolation gave no absolute path' : 'the system refused';
  const reason = reasons[error.code ?? ''] ?? error.code ?? refused;
  return new KernelError('TOOL_FAILED', `"${sliceHead(program, 200)}" cannot be started: ${reason}.`, { cause: error });
}
