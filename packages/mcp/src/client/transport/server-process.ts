import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import type { Readable } from 'node:stream';
import { findOnPath, findProgram, sliceTail } from '@kernel/internal';
import type { McpServer } from '../config.ts';
import { endGroup, guardGroup, hasGroupEnded } from './process-group.ts';
import { stripVTControlCharacters } from 'node:util';

/** A server that is started as a program. */
export type StdioServer = Extract<McpServer, { kind: 'stdio' }>;

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly stdin: NonNullable<ChildProcess['stdin']>;
  readonly stdout: Readable;
  readonly stderr: StderrTail;
  /** Closes stdin, then sends SIGTERM, then SIGKILL, to the whole group and with a wait of up to `graceMs` before each signal. */
  end(graceMs: number): Promise<void>;
}

/** Starts a server's program, with the inherited variables that the SDK considers safe and those of the config. Rejects if it cannot be started. */
export async function startServerProcess(server: StdioServer): Promise<ServerProcess> {
  const { getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  const isWindows = process.platform === 'win32';
  const { args, cwd } = server;
  const env = { ...getDefaultEnvironment(), ...server.env };
  const program = programOf(server, env);
  // On Windows `npx` and similar commands are batch files, which only the shell runs.
  const shell = isWindows ? findProgram('cmd', { workspace: cwd }) : undefined;
  if (isWindows && shell === undefined) throw new Error('this system has no program "cmd"');
  const commandLine = isWindows ? [program, ...args].map(quote).join(' ') : program;
  const child = spawn(commandLine, isWindows ? [] : args, {
    env,
    stdio: 'pipe',
    detached: !isWindows,
    windowsHide: true,
    ...(shell === undefined ? {} : { shell }),
    ...(cwd === undefined ? {} : { cwd }),
  });
  const { pid, stdin, stdout } = child;
  const stderr = createStderrTail(child.stderr);
  if (pid !== undefined) {
    const unguard = guardGroup(pid);
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const end = async (graceMs: number): Promise<void> => {
      stdin.end();
      if (child.exitCode === null && child.signalCode === null) await hasGroupEnded(pid, graceMs);
      await endGroup(pid, graceMs);
      await exited;
      for (const stream of [stdin, stdout, child.stderr]) stream.destroy();
      unguard();
    };
    child.on('error', () => {}); // a signal that could not be sent
    return { child, stdin, stdout, stderr, end };
  }
  return new Promise((_, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ENOENT';
      if (isMissing && cwd !== undefined && !existsSync(cwd)) reject(new Error(`there is no folder "${cwd}"`));
      else if (isMissing) reject(new Error(`there is no program "${server.command}"`));
      else reject(new Error(`"${server.command}" failed with ${error.code ?? error.message}`));
    });
  });
}

/** The program of a server: the one at the path that the config gives, or of that name where nobody else can have put it. */
function programOf({ command, cwd = '.', env: own }: StdioServer, env: Readonly<Record<string, string>>): string {
  if (/[/\\]/.test(command)) return resolvePath(cwd, command);
  const [key = 'PATH', path = ''] = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH') ?? [];
  const found = findOnPath(command, { workspace: cwd, path, isPathTrusted: Object.hasOwn(own, key) });
  if (found !== undefined) return found;
  throw new Error(
    `program "${command}" was not found on the PATH, where this folder and its repository do not count (to start one from there, give its path)`,
  );
}

function quote(argument: string): string {
  return `"${argument.replaceAll('"', '\\"')}"`;
}

const MAX_BYTES = 8192;
const MAX_LINES = 6;
const MAX_CHARS = 800;

interface StderrTail {
  /** The last lines so far, at most 800 characters, without colours and control characters; empty if nothing was written. */
  text(): string;
}

export function createStderrTail(stream: Readable): StderrTail {
  let tail = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    const joined = Buffer.concat([tail, chunk.subarray(-MAX_BYTES)]);
    tail = joined.length > MAX_BYTES ? Buffer.from(joined.subarray(-MAX_BYTES)) : joined;
  });
  stream.on('error', () => {}); // the exit of the program says more
  return {
    text() {
      const text = stripVTControlCharacters(tail.toString('utf8')).replaceAll(/\r\n?/g, '\n');
      const shown = text.replaceAll(/(?![\n\t])\p{Cc}/gu, '');
      const lines = shown.trimEnd().split('\n').slice(-MAX_LINES).join('\n');
      return lines.length > MAX_CHARS ? `…${sliceTail(lines, MAX_CHARS)}` : lines;
    },
  };
}
