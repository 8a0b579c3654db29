import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { McpServer } from './config.ts';
import { inOrder } from './in-order.ts';
import { cutLines } from '../cut-lines.ts';
import { type Link, LONGEST_MESSAGE_BYTES, type Sdk } from './link.ts';
import { endGroup, groupEnds, guardGroup } from './process-group.ts';
import { keepTail, type Tail } from './tail.ts';

type StdioServer = Extract<McpServer, { kind: 'stdio' }>;

/** How long what is still in the pipes of an ended program is waited for: a grandchild may hold them open. */
const DRAIN_MS = 100;

/** Stands for an answer that is none: JSON-RPC's code for a message of the wrong shape. */
const NO_ANSWER = -32_600;

/**
 * Creates the way to a program: started in a process group of its own with the inherited variables that the SDK deems safe and those of the
 * config, and ended with its group. stderr is kept, never printed. What is no JSON-RPC on stdout is passed over; the request whose id it bears
 * fails instead of waiting for its clock.
 */
export function createStdioLink(sdk: Sdk, server: StdioServer, graceMs: number): Link {
  let started: Program | undefined;
  let broken: string | undefined;
  let closing: Promise<void> | undefined;

  const finish = (): Promise<void> => {
    if (closing !== undefined) return closing;
    closing = started === undefined ? Promise.resolve() : started.end(graceMs);
    transport.onclose?.();
    return closing;
  };
  const breakOff = (reason: string): void => {
    if (closing !== undefined) return;
    broken = reason;
    void finish();
  };
  const deliver = inOrder((message) => transport.onmessage?.(message));
  const take = (line: string): void => {
    try {
      deliver(sdk.deserializeMessage(line));
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
      const id = answeredId(line);
      if (id !== undefined)
        deliver({ jsonrpc: '2.0', id, error: { code: NO_ANSWER, message: 'its answer is no JSON-RPC' } });
    }
  };
  let isFlooded = false;
  const read = cutLines(
    LONGEST_MESSAGE_BYTES,
    (line) => {
      if (!isFlooded) take(line);
    },
    () => {
      isFlooded = true;
      breakOff(`sent a line of more than ${LONGEST_MESSAGE_BYTES} bytes`);
    },
  );

  const transport: Transport = {
    async start() {
      try {
        started = await startProgram(server);
      } catch (error) {
        broken = `could not be started: ${error instanceof Error ? error.message : String(error)}`;
        throw error;
      }
      const { child, stdin } = started;
      started.stdout.on('data', read);
      // A program that closes one of its streams can't go on; one that ends says more by its exit code.
      stdin.on('error', () => setTimeout(breakOff, DRAIN_MS, 'closed its standard input'));
      started.stdout.on('end', () => setTimeout(breakOff, DRAIN_MS, 'closed its standard output'));
      child.once('exit', (code, signal) => {
        const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
        const drained = setTimeout(breakOff, DRAIN_MS, how);
        child.once('close', () => {
          clearTimeout(drained);
          breakOff(how);
        });
      });
    },
    send(message: JSONRPCMessage) {
      return new Promise((resolve) => {
        // A failed write breaks the connection, which settles whoever waits for an answer.
        if (started?.stdin.writable === true) started.stdin.write(sdk.serializeMessage(message), () => resolve());
        else resolve();
      });
    },
    close: finish,
  };
  return {
    transport,
    broken: () => broken,
    lastWords: () => started?.stderr.text() ?? '',
    close: finish,
  };
}

/** The id of the request that a line means to answer, though it is no message. Ours are numbers. */
function answeredId(line: string): number | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || 'method' in value || !('id' in value)) return undefined;
    return typeof value.id === 'number' ? value.id : undefined;
  } catch {
    return undefined;
  }
}

interface Program {
  readonly child: ChildProcess;
  readonly stdin: NonNullable<ChildProcess['stdin']>;
  readonly stdout: Readable;
  readonly stderr: Tail;
  /** Closes stdin, then SIGTERM, then SIGKILL, each for the whole group and with a wait of `graceMs` between. */
  end(graceMs: number): Promise<void>;
}

async function startProgram(server: StdioServer): Promise<Program> {
  const { getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  const isWindows = process.platform === 'win32';
  const { command, args, cwd } = server;
  // On Windows `npx` and its like are batch files, which only the shell runs.
  const line = isWindows ? [command, ...args].map(quote).join(' ') : command;
  const child = spawn(line, isWindows ? [] : args, {
    env: { ...getDefaultEnvironment(), ...server.env },
    stdio: 'pipe',
    detached: !isWindows,
    shell: isWindows,
    windowsHide: true,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const { pid, stdin, stdout } = child;
  const stderr = keepTail(child.stderr);
  if (pid !== undefined) {
    const unguard = guardGroup(pid);
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const end = async (graceMs: number): Promise<void> => {
      stdin.end();
      if (child.exitCode === null && child.signalCode === null) await groupEnds(pid, graceMs);
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
      const missing = error.code === 'ENOENT';
      if (missing && cwd !== undefined && !existsSync(cwd)) reject(new Error(`there is no folder "${cwd}"`));
      else if (missing) reject(new Error(`there is no program "${command}"`));
      else reject(new Error(`"${command}" gave ${error.code ?? error.message}`));
    });
  });
}

function quote(argument: string): string {
  return `"${argument.replaceAll('"', '\\"')}"`;
}
