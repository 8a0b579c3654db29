import { KernelError, type Tool, type Toolset, mountedName, toErrorResult } from '@kernel/protocol';
import type { FetchLike } from '@modelcontextprotocol/client';
import { LONGEST_TIMER_MS } from '../longest-timer.ts';
import { callRemote, type CallTarget, heldOrGone, untilAborted } from './call.ts';
import { type McpConfig, readMcpConfig, secretsOf } from './config.ts';
import { createConnection } from './connection.ts';
import type { Elicit } from './elicit.ts';
import { createRedactor } from './redact.ts';
import { type ApproveTools, createShelf, type McpPins } from './shelf.ts';

/** How long a turn waits for a listing that is under way. */
const TURN_MS = 5000;

/** The SDK's own timer is set a second above. */
const LONGEST_CONNECT_MS = LONGEST_TIMER_MS - 1000;

/** How servers are connected to. */
export interface ConnectMcpOptions {
  /** Aborts the connecting. Without effect once `connectMcp` has resolved. */
  readonly signal?: AbortSignal | undefined;
  /** How long a call may go on without an answer or progress; the time in which `elicit` asks the user does not count. Default 60,000; 0 means without end. */
  readonly timeoutMs?: number | undefined;
  /** How long a server may take to start and answer, and again to list its tools. Default 60,000: `npx` may have to download it. */
  readonly connectTimeoutMs?: number | undefined;
  /** How long a program may take to end after its standard input was closed, and again after SIGTERM. Default 1000. */
  readonly graceMs?: number | undefined;
  /**
   * Decides on each change of a server's tools since the first listing, or since `pins`. Until it says true, what is new or changed is not
   * offered and not called. Without it changes are taken over as they come.
   */
  readonly approveTools?: ApproveTools | undefined;
  /** What `pins()` gave in an earlier run. What differs goes to `approveTools`, and is kept out without it. */
  readonly pins?: McpPins | undefined;
  /** Hears of a server that could not be started or reached; the others are used. Without it `connectMcp` rejects. */
  readonly onUnavailable?: ((server: string, error: KernelError) => void) | undefined;
  /** Answers a server's questions to the user. Without it servers are told that there is nobody to ask. */
  readonly elicit?: Elicit | undefined;
  /** Sends the HTTP requests, as for a proxy or for OAuth (`withOAuth` of the SDK). Default: the global `fetch`. */
  readonly fetch?: FetchLike | undefined;
  /** How this program introduces itself. */
  readonly client?: { readonly name: string; readonly version: string } | undefined;
}

/** The tools of MCP servers. Programs that it started run until `close()`. */
export interface McpToolset extends Toolset {
  subscribe(listener: () => void): () => void;
  /** Hashes of all approved definitions, for the option `pins` of a later run. */
  pins(): McpPins;
  /** Ends connections and programs; calls that still run get a result. May be called twice. Never rejects. */
  close(): Promise<void>;
}

/**
 * Connects to MCP servers and gives their tools, as `server_tool`, in the order of the config.
 *
 * Throws `CONFIG_INVALID` before anything is started, and `TOOL_UNAVAILABLE` for the first server that can't be used; then nothing is left
 * running. A server that goes away later is started or reached anew for the next call.
 */
export async function connectMcp(config: McpConfig, options: ConnectMcpOptions = {}): Promise<McpToolset> {
  const servers = readMcpConfig(config);
  const { timeoutMs = 60_000, graceMs = 1000, approveTools, pins, onUnavailable } = options;
  const { client = { name: '@kernel/mcp', version: '1' } } = options;
  const connectTimeoutMs = Math.min(options.connectTimeoutMs ?? 60_000, LONGEST_CONNECT_MS);
  for (const [name, value] of Object.entries({ timeoutMs, connectTimeoutMs, graceMs })) checkTime(name, value);

  const listeners = new Set<() => void>();
  const names = createNames();
  let tools: readonly Tool[] | undefined;
  let isClosed = false;
  const onChanged = (): void => {
    tools = undefined;
    for (const listener of listeners) {
      try {
        listener();
      } catch {
        // One listener's fault is nobody else's.
      }
    }
  };
  const places = servers.map((server) => {
    const redact = createRedactor(secretsOf(server));
    const shelf = createShelf({
      server: server.name,
      nameOf: (tool) => names(server.name, tool),
      pins: pins === undefined ? undefined : (new Map(Object.entries(pins)).get(server.name) ?? {}),
      approve: approveTools,
      onChanged,
    });
    const session = { client, connectTimeoutMs, graceMs, fetch: options.fetch, elicit: options.elicit, redact };
    const connection = createConnection(server, session, (listings) => void shelf.take(listings));
    return { connection, shelf, redact, timeoutMs } satisfies CallTarget;
  });

  const close = async (): Promise<void> => {
    isClosed = true;
    await Promise.all(places.map(({ connection }) => connection.close()));
  };
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const opened = places.map(async ({ connection, shelf }) => {
    try {
      const listings = await connection.open(signal);
      return () => shelf.take(listings);
    } catch (error) {
      if (onUnavailable === undefined || !KernelError.is(error)) throw error;
      onUnavailable(connection.server.name, error);
      return () => Promise.resolve();
    }
  });
  try {
    const listed = await Promise.all(opened);
    // In the order of the config: of two equal names the first server's is the plain one.
    await untilAborted(Promise.all(listed.map((take) => take())), signal);
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(opened);
    await close();
    throw error;
  }

  return {
    list: () => (tools ??= Object.freeze(places.flatMap(({ shelf }) => shelf.tools()))),
    async call(call, context) {
      if (isClosed) return toErrorResult(closedError(call.name));
      const target = places.find(({ shelf }) => shelf.find(call.name) !== undefined || shelf.isHeld(call.name));
      if (target?.shelf.find(call.name) === undefined) return heldOrGone(call.name, target);
      const result = await callRemote(call, context, target);
      return isClosed && result.isError === true && result.code !== 'TOOL_CANCELLED'
        ? toErrorResult(closedError(call.name), result.outcome)
        : result;
    },
    async beginTurn(turn) {
      const either = AbortSignal.any([turn.signal, AbortSignal.timeout(TURN_MS)]);
      const settled = Promise.all(places.map(({ connection }) => connection.settled()));
      await untilAborted(settled, either).catch(() => {});
    },
    subscribe(listener) {
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    pins: () => Object.fromEntries(places.map(({ connection, shelf }) => [connection.server.name, shelf.pins()])),
    close,
  };
}

/** Gives each tool of each server its name here: legal, unique, and the same as long as the connection lives. */
function createNames(): (server: string, tool: string) => string {
  const taken = new Set<string>();
  const given = new Map<string, string>();
  return (server, tool) => {
    const key = JSON.stringify([server, tool]);
    let name = given.get(key);
    if (name === undefined) {
      name = mountedName(server, tool, taken);
      taken.add(name);
      given.set(key, name);
    }
    return name;
  };
}

function checkTime(name: string, value: number): void {
  if (Number.isFinite(value) && value >= 0) return;
  throw new KernelError('CONFIG_INVALID', `${name} must be a number of milliseconds from 0 on, not ${value}.`);
}

function closedError(name: string): KernelError {
  return new KernelError('TOOL_UNAVAILABLE', `"${name}" is not available: the MCP connection is closed.`, {
    data: { tool: name },
  });
}
