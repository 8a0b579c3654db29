import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { main } from '../src/main.ts';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

/** What the program did. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to start it. */
export interface Start {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What is piped into it. Default: nothing. */
  readonly input?: string | Uint8Array;
  /** Takes stdout in place of a pipe. */
  readonly stdoutFile?: string;
  /** Takes stderr in place of a pipe. */
  readonly stderrFile?: string;
  /** Sees the process and all that it has written, after each piece. */
  readonly watch?: (child: ChildProcess, stdout: string, stderr: string) => void;
  /** Sees the process as soon as it has been started. */
  readonly spawned?: (child: ChildProcess) => void;
}

const INHERITED = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  // Not in the home folder, which is also the workspace.
  XDG_CACHE_HOME: fileURLToPath(new URL('../node_modules/.cache/prompt-agent', import.meta.url)),
};

/** The environment of a program whose home folder this is: without keys and without model servers. What it loads was compiled by an earlier one. */
export function environmentAt(home: string): Readonly<Record<string, string | undefined>> {
  return { ...INHERITED, HOME: home, TZ: 'UTC', PROMPT_AGENT_SERVERS: '' };
}

/** Runs the built program as a child process, in an environment without keys and without model servers. */
export function prompt(
  args: readonly string[],
  { cwd = workspace(), env = {}, input, stdoutFile, stderrFile, watch, spawned }: Start = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const file = stdoutFile === undefined ? undefined : openSync(stdoutFile, 'w');
    const errorFile = stderrFile === undefined ? undefined : openSync(stderrFile, 'w');
    const child = spawn(process.execPath, ['--unhandled-rejections=strict', CLI, ...args], {
      cwd,
      env: { ...environmentAt(cwd), ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', file ?? 'pipe', errorFile ?? 'pipe'],
    });
    // A program that does not read it to the end closes it, which is no failure.
    child.stdin?.on('error', () => undefined).end(input);
    for (const each of [file, errorFile]) if (each !== undefined) closeSync(each);
    spawned?.(child);
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      watch?.(child, stdout, stderr);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      watch?.(child, stdout, stderr);
    });
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Runs the program in this process, which is much cheaper: for tests of what it answers, not of how a process starts and ends. */
export async function promptHere(
  args: readonly string[],
  { cwd = workspace(), env = {}, input, ...ofProcess }: Pick<Start, 'cwd' | 'env' | 'input'> = {},
): Promise<Outcome> {
  const unknown = [...Object.keys(ofProcess), ...Object.keys(env).filter((name) => name.startsWith('NODE_'))];
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: for a process of its own, which prompt starts.`);
  const read = (stream: PassThrough): (() => string) => {
    let text = '';
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    return () => text;
  };
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const [written, noted] = [read(stdout), read(stderr)];
  const code = await main({
    argv: args,
    env: { PATH: process.env['PATH'], TZ: 'UTC', PROMPT_AGENT_SERVERS: '', ...env },
    cwd,
    home: cwd,
    stdin: new PassThrough().end(input),
    stdout,
    stderr,
    signal: new AbortController().signal,
  });
  return { code, stdout: written(), stderr: noted() };
}

/** Where the user's own config is, in a workspace that is also the home folder. */
export const OWN_CONFIG = '.config/prompt-agent/config.json';

/** For the rest of a test, a model server on this machine has as long to answer as a busy one takes, instead of a fraction of a second. */
export function waitPatiently(): void {
  const { timeout } = AbortSignal;
  const patient = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((ms) => timeout.call(AbortSignal, Math.max(ms, 60_000)));
  onTestFinished(() => patient.mockRestore());
}

const WAITS = new URL('fixtures/waits.ts', import.meta.url).href;

/** The environment in which a program tells how long it waited after Ctrl-C, by a clock that only its timers move: not by one that a busy machine slows down. */
export const TELLS_WAITS = { NODE_OPTIONS: `--import=${WAITS}` };

/** How long a program that was started with `TELLS_WAITS` waited after Ctrl-C; `NaN` if it was not stopped by it. */
export function waitedMs({ stderr }: Outcome): number {
  return Number(/waited after Ctrl-C: (\d+) ms/.exec(stderr)?.[1] ?? Number.NaN);
}

/** Makes a folder with the given files; the same small project when none are given. */
export function workspace(files: Readonly<Record<string, string | Uint8Array>> = PROJECT): string {
  return temporaryFolder('prompt-agent', files);
}

/** Adds a symbolic link to a workspace. */
export function link(folder: string, name: string, target: string): void {
  symlinkSync(target, join(folder, name));
}

const PROJECT = {
  'package.json': '{ "name": "demo", "version": "1.2.3" }\n',
  'notes.md': '# Notes\nsecond line\n',
  'src/index.ts': 'export const answer = 42;\n',
  'src/deep/other.ts': "import { answer } from '../index.ts';\n",
};

/** The first bytes of a PNG image. */
export const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
