import { MAX_TIMER_MS, untilAborted } from '@kernel/internal';
import {
  type CallContext,
  checkKeys,
  describeType,
  KernelError,
  optionKeys,
  toErrorResult,
  type Tool,
  type ToolCall,
  type ToolResult,
  type Toolset,
  type ValidatedCall,
} from '@kernel/protocol';
import type { FetchLike } from '@modelcontextprotocol/client';
import { callRemoteTool, type CallTarget, unavailableResult } from './calls/call-remote-tool.ts';
import { validateCall } from './calls/validated-calls.ts';
import { type McpConfig, readMcpConfig } from './config.ts';
import type { Elicit } from './connection/elicitation.ts';
import type { ConnectionOptions } from './connection/open-connection.ts';
import { createRemoteServer } from './connection/remote-server.ts';
import { createListeners } from './listeners.ts';
import { createServerRedactor } from './server-redactor.ts';
import { createApprovedTools } from './tools/approved-tools.ts';
import type { McpPins } from './tools/definition-approvals.ts';
import type { ApproveTools } from './tools/tool-changes.ts';
import { createToolNames } from './tools/tool-names.ts';

/** How long a turn waits for lists of tools that are under way. */
const TURN_TIMEOUT_MS = 5000;

/** The SDK's own timeout is set one second later. */
const MAX_CONNECT_TIMEOUT_MS = MAX_TIMER_MS - 1000;

/** How to connect to servers. */
export interface ConnectMcpOptions {
  /** Aborts connecting. Without effect once `connectMcp` has resolved. */
  readonly signal?: AbortSignal | undefined;
  /** How long a call may go on without a result or progress; the time in which `elicit` asks the user does not count. Default 60,000; 0 means no timeout. */
  readonly timeoutMs?: number | undefined;
  /** How long a server may take to start and answer, and again to list its tools. Default 60,000: `npx` may have to download it. */
  readonly connectTimeoutMs?: number | undefined;
  /** How long a program may take to end after its standard input was closed, and again after SIGTERM. Default 1000. */
  readonly graceMs?: number | undefined;
  /**
   * Decides on each change of a server's tools since the first list, or since `pins`. New and changed tools are not offered until it returns
   * true. Without it changes are approved, unless there are `pins`.
   */
  readonly approveTools?: ApproveTools | undefined;
  /** The result of `pins()` in an earlier run. Definitions that differ go to `approveTools`; without that they are not offered. */
  readonly pins?: McpPins | undefined;
  /**
   * Servers, by name, whose hints you trust: only then a tool that its server calls read-only or idempotent has that effect, and is not asked about, or
   * is repeated. Default: none; such a tool counts as `external`.
   */
  readonly trustHints?: readonly string[] | undefined;
  /** Called for a server that could not be started or reached; the others are used. Without it `connectMcp` rejects. */
  readonly onUnavailable?: ((server: string, error: KernelError) => void) | undefined;
  /** Answers questions of servers to the user. Without it, servers learn that there is no user to ask. */
  readonly elicit?: Elicit | undefined;
  /** Sends the HTTP requests, for example through a proxy or with OAuth (`withOAuth` of the SDK). Default: the global `fetch`. */
  readonly fetch?: FetchLike | undefined;
  /** How this program introduces itself. Default `@kernel/mcp`. */
  readonly client?: { readonly name: string; readonly version: string } | undefined;
}

const KEYS = optionKeys<ConnectMcpOptions>(
  {
    signal: true,
    timeoutMs: true,
    connectTimeoutMs: true,
    graceMs: true,
    approveTools: true,
    pins: true,
    trustHints: true,
    onUnavailable: true,
    elicit: true,
    fetch: true,
    client: true,
  },
  {
    timeout: 'Use "timeoutMs", in milliseconds.',
    abortSignal: 'Use "signal".',
    clientInfo: 'Use "client".',
    headers: 'Set them in the config of each server.',
    env: 'Set it in the config of each server.',
    onElicitation: 'Use "elicit".',
    mcpServers: 'Pass the config first: connectMcp({ mcpServers }, options).',
  },
);
const CLIENT_KEYS = optionKeys<NonNullable<ConnectMcpOptions['client']>>({ name: true, version: true });

/** The tools of MCP servers. Programs that were started run until `close()`. */
export interface McpToolset extends Toolset {
  /** Parses the arguments of a call without sending them: the server checks them by its schema. Never rejects. */
  validate(call: ToolCall, context: CallContext): Promise<ValidatedCall | ToolResult>;
  /** Calls `listener` after `list()` has changed; returns a function that ends that. */
  subscribe(listener: () => void): () => void;
  /** Hashes of all approved definitions, for the option `pins` of a later run. */
  pins(): McpPins;
  /** Ends connections and programs; calls that are running get a result. May be called twice. Never rejects. */
  close(): Promise<void>;
}

/**
 * Connects to MCP servers and offers their tools, as `server_tool`, in the order of the config.
 *
 * Throws `CONFIG_INVALID` before anything is started, and `TOOL_UNAVAILABLE` for the first server that cannot be used; then nothing is left
 * running. A server that goes away later is started or reached again for the next call.
 */
export async function connectMcp(config: McpConfig, options: ConnectMcpOptions = {}): Promise<McpToolset> {
  checkKeys('connectMcp', options, KEYS);
  const configs = readMcpConfig(config);
  const {
    timeoutMs = 60_000,
    graceMs = 1000,
    approveTools,
    pins,
    trustHints = [],
    onUnavailable,
    fetch,
    elicit,
  } = options;
  checkTrusted(trustHints, configs);
  if (options.client !== undefined) checkKeys('connectMcp', options.client, CLIENT_KEYS, 'client.');
  const { client = { name: '@kernel/mcp', version: '1' } } = options;
  const connectTimeoutMs = Math.min(options.connectTimeoutMs ?? 60_000, MAX_CONNECT_TIMEOUT_MS);
  for (const [name, value] of Object.entries({ timeoutMs, connectTimeoutMs, graceMs })) checkTimeout(name, value);

  const changes = createListeners();
  const nameTool = createToolNames();
  let list: readonly Tool[] | undefined;
  let isClosed = false;
  const onChanged = (): void => {
    list = undefined;
    changes.notify();
  };
  const servers = configs.map((serverConfig): CallTarget => {
    const { name } = serverConfig;
    const redact = createServerRedactor(serverConfig);
    const tools = createApprovedTools({
      server: name,
      nameOf: (tool) => nameTool(name, tool),
      pins: pins === undefined ? undefined : (new Map(Object.entries(pins)).get(name) ?? {}),
      approve: approveTools,
      trustsHints: trustHints.includes(name),
      onChanged,
    });
    const connection: ConnectionOptions = { client, connectTimeoutMs, graceMs, fetch, elicit, redact };
    const server = createRemoteServer(serverConfig, connection, (listed) => void tools.update(listed));
    return { server, tools, redact, timeoutMs };
  });

  const close = async (): Promise<void> => {
    isClosed = true;
    await Promise.all(servers.map(({ server }) => server.close()));
  };
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const opening = servers.map(async ({ server, tools }) => {
    try {
      const listed = await server.open(signal);
      return () => tools.update(listed);
    } catch (error) {
      if (onUnavailable === undefined || !KernelError.is(error)) throw error;
      onUnavailable(server.config.name, error);
      return () => Promise.resolve();
    }
  });
  try {
    const updates = await Promise.all(opening);
    // In the order of the config: if two mounted names are equal, the first server's tool keeps the plain one.
    await untilAborted(Promise.all(updates.map((update) => update())), signal);
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(opening);
    await close();
    throw error;
  }

  return {
    list: () => (list ??= Object.freeze(servers.flatMap(({ tools }) => tools.tools()))),
    async call(call, context) {
      if (isClosed) return toErrorResult(closedError(call.name));
      const target = servers.find(({ tools }) => tools.find(call.name) !== undefined || tools.isQuarantined(call.name));
      const tool = target?.tools.find(call.name)?.tool;
      if (target === undefined || tool === undefined) return unavailableResult(call.name, target?.tools);
      const result = await callRemoteTool(call, tool, context, target);
      return isClosed && result.isError === true && result.code !== 'TOOL_CANCELLED'
        ? toErrorResult(closedError(call.name), result.outcome)
        : result;
    },
    async validate(call) {
      if (isClosed) return toErrorResult(closedError(call.name));
      const find = (): Tool | undefined => servers.map(({ tools }) => tools.find(call.name)?.tool).find(Boolean);
      const tool = find();
      return tool === undefined
        ? unavailableResult(call.name, servers.find(({ tools }) => tools.isQuarantined(call.name))?.tools)
        : validateCall(call, tool, () => !isClosed && find() === tool);
    },
    async beginTurn(turn) {
      const either = AbortSignal.any([turn.signal, AbortSignal.timeout(TURN_TIMEOUT_MS)]);
      const settled = Promise.all(servers.map(({ server }) => server.settled()));
      await untilAborted(settled, either).catch(() => {});
    },
    subscribe: (listener) => changes.add(listener),
    pins: () => Object.fromEntries(servers.map(({ server, tools }) => [server.config.name, tools.pins()])),
    close,
  };
}

/** A name of no server would be trust without effect, and a typing error of one that is. */
function checkTrusted(names: readonly string[], servers: readonly { readonly name: string }[]): void {
  const known = servers.map(({ name }) => name);
  const given: readonly unknown[] = Array.isArray(names) ? names : [names];
  const unknown = given.find((name) => !known.some((each) => each === name));
  if (unknown === undefined) return;
  throw new KernelError(
    'CONFIG_INVALID',
    `trustHints names "${typeof unknown === 'string' ? unknown : describeType(unknown)}", which is not among the servers.`,
    {
      hint: `Pass a list of some of: ${known.join(', ')}.`,
    },
  );
}

function checkTimeout(name: string, value: number): void {
  if (Number.isFinite(value) && value >= 0) return;
  throw new KernelError('CONFIG_INVALID', `${name} must be a number of milliseconds of at least 0, not ${value}.`);
}

function closedError(name: string): KernelError {
  return new KernelError('TOOL_UNAVAILABLE', `"${name}" is not available: the MCP connection is closed.`, {
    data: { tool: name },
  });
}
