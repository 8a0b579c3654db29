import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import type { Readable } from 'node:stream';
import {
  childStreams,
  childVariables,
  findOnPath,
  findProgram,
  sliceTail,
  delay,
  guardGroup,
  signalGroup,
  programPath,
} from '@kernel/internal';
import type { McpServer } from '../config.ts';
import { stripVTControlCharacters } from 'node:util';

const POLL_MS = 15;

/** A server that is started as a program. */
export type StdioServer = Extract<McpServer, { kind: 'stdio' }>;

/** A server's program, in a process group of its own. */
export type ServerProcess = Awaited<ReturnType<typeof startServerProcess>>;

/** Starts a server's program, with the inherited variables that the SDK considers safe and those of the config. Rejects if it cannot be started. */
export async function startServerProcess(server: StdioServer) {
  const { getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  const isWindows = process.platform === 'win32';
  const { args, cwd } = server;
  const env = { ...getDefaultEnvironment(), ...server.env };
  const program = programOf(server, env);
  // On Windows `npx` and similar commands are batch files, which only the shell runs.
  const shell = isWindows ? findProgram('cmd', { workspace: cwd }) : undefined;
  if (isWindows && shell === undefined) throw new Error('this system has no program "cmd"');
  const commandLine = [program, ...args].map(quote).join(' ');
  const child = spawn(isWindows ? commandLine : programPath(program), isWindows ? [] : args, {
    env: childVariables(env),
    stdio: childStreams('pipe', 'pipe', 'pipe'),
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
    /** Closes stdin, then sends SIGTERM, then SIGKILL, to the whole group and with a wait of up to `graceMs` before each signal. */
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
  return new Promise<never>((_, reject) => {
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

/** Keeps the end of a stream; `text` is its last lines so far, at most 800 characters, without colours and control characters. */
export function createStderrTail(stream: Readable) {
  let tail = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    const joined = Buffer.concat([tail, chunk.subarray(-MAX_BYTES)]);
    tail = joined.length > MAX_BYTES ? Buffer.from(joined.subarray(-MAX_BYTES)) : joined;
  });
  stream.on('error', () => {}); // the exit of the program says more
  return {
    text(): string {
      const text = stripVTControlCharacters(tail.toString('utf8')).replaceAll(/\r\n?/g, '\n');
      const shown = text.replaceAll(/(?![\n\t])\p{Cc}/gu, '');
      const lines = shown.trimEnd().split('\n').slice(-MAX_LINES).join('\n');
      return lines.length > MAX_CHARS ? `…${sliceTail(lines, MAX_CHARS)}` : lines;
    },
  };
}

/** Ends what is left of a group: SIGTERM, then SIGKILL to what is left after `graceMs`. Resolves when nothing is left. */
async function endGroup(leader: number, graceMs: number): Promise<void> {
  if (process.platform === 'win32') return endTree(leader);
  if (!signalGroup(leader, 'SIGTERM')) return;
  if (await hasGroupEnded(leader, graceMs)) return;
  signalGroup(leader, 'SIGKILL');
  await hasGroupEnded(leader, graceMs);
}

async function hasGroupEnded(leader: number, timeoutMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  while (signalGroup(leader, 0)) {
    if (performance.now() >= deadlineMs) return false;
    await delay(POLL_MS);
  }
  return true;
}

/** Windows has no process groups: `taskkill` ends a process with its descendants. Where that is absent, only the process itself is ended. */
function endTree(leader: number): Promise<void> {
  const program = findProgram('taskkill');
  return new Promise((resolve) => {
    if (program === undefined) {
      signalGroup(leader, 'SIGKILL');
      return resolve();
    }
    const kill = spawn(programPath(program), ['/pid', String(leader), '/T', '/F'], {
      env: childVariables(process.env),
      stdio: 'ignore',
      windowsHide: true,
    });
    kill.once('error', () => resolve());
    kill.once('close', () => resolve());
  });
}
