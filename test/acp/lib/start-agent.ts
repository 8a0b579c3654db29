import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Readable, Transform, Writable } from 'node:stream';
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk/unstable';
import type { JsonRpcMessage, RecordedEvent, Side } from './recorded.ts';

/** How an agent is started. */
export interface AgentCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of its variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** A file of which is kept when the agent itself writes it. */
  readonly watch?: string;
}

/** A running agent, of which every line is kept. */
export interface RunningAgent {
  readonly stream: Stream;
  /** What happened so far, in order. */
  readonly events: readonly RecordedEvent[];
  /** Lines of its standard output that are not JSON. */
  readonly noise: readonly string[];
  /** The end of its standard error. */
  stderr(): string;
  /** Ends the agent and what it started. */
  end(): Promise<void>;
}

/** How long an agent has to end by itself once nothing more can come. */
const GRACE_MS = 3000;

/** Starts an agent in a process group of its own and listens to both directions. */
export function startAgent({ program, args, cwd, variables, watch }: AgentCommand): RunningAgent {
  const child = spawn(program, args, { cwd, env: variables, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const events: RecordedEvent[] = [];
  const noise: string[] = [];
  let stderr = '';
  let watched = watch === undefined ? '' : readFileSync(watch, 'utf8');
  const addStderr = (text: string): void => {
    stderr = (stderr + text).slice(-20_000);
  };
  child.stderr.setEncoding('utf8').on('data', addStderr);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      addStderr(String(error));
      resolve();
    });
  });
  // A write to an agent that has ended fails: its end says more.
  child.stdin.on('error', () => {});
  const fromClient = tap((line) => keep('client', line));
  const fromAgent = tap((line) => keep('agent', line));
  fromClient.pipe(child.stdin);
  child.stdout.pipe(fromAgent);

  function keep(from: Side, line: string): void {
    const text = watch === undefined ? '' : readFileSync(watch, 'utf8');
    // What the client says it has done, it has done before.
    if (watch !== undefined && from === 'agent' && text !== watched) events.push({ wrote: watch, text });
    watched = text;
    try {
      events.push({ from, message: JSON.parse(line) as JsonRpcMessage });
    } catch {
      noise.push(line);
    }
  }

  return {
    stream: ndJsonStream(
      Writable.toWeb(fromClient) as WritableStream<Uint8Array>,
      Readable.toWeb(fromAgent) as ReadableStream<Uint8Array>,
    ),
    events,
    noise,
    stderr: () => stderr,
    async end() {
      child.stdin.end();
      const timer = setTimeout(() => killGroup(child), GRACE_MS);
      await exited;
      clearTimeout(timer);
      // What the agent started and left behind is in its group.
      killGroup(child);
    },
  };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Passes bytes on, and whole lines to `onLine`. */
function tap(onLine: (line: string) => void): Transform {
  let rest = '';
  const decoder = new TextDecoder();
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') onLine(line);
      done(null, chunk);
    },
  });
}
