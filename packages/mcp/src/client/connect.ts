import { attempt, MAX_TIMER_MS, untilAborted } from '@kernel/internal';
import { KernelError, type Tool, type Toolset, type ToolWithHandler } from '@kernel/protocol';
import { createApps, type McpApps } from './apps.ts';
import { createAskServer } from './ask-server.ts';
import { type CallTarget, createRemoteCalls } from './calls/call-remote-tool.ts';
import { type McpConfig, readMcpConfig } from './config.ts';
import { checkConnectKeys, checkTimeout, checkTrusted, type ConnectMcpOptions } from './connect-options.ts';
import type { ListedTools } from './connection/list-tools.ts';
import type { ConnectionOptions } from './connection/open-connection.ts';
import { createRemoteServer } from './connection/remote-server.ts';
import { checkSampling, createSampling } from './connection/sampling.ts';
import { createContentTools } from './content-tools.ts';
import type { McpContents } from './contents.ts';
import { createContents } from './server-content.ts';
import { createServerRedactor } from './server-redactor.ts';
import { type ApprovedTools, createApprovedTools, type McpPins } from './tools/approved-tools.ts';
import { createToolNames } from './tools/remote-tool.ts';

/** How long a turn waits for lists of tools that are under way. */
const TURN_TIMEOUT_MS = 5000;

/** The SDK's own timeout is set one second later. */
const MAX_CONNECT_TIMEOUT_MS = MAX_TIMER_MS - 1000;

/** Whose a tool is. */
export interface McpToolOrigin {
  /** The name of the server in the config. */
  readonly server: string;
  /** The name of the tool on the server. */
  readonly tool: string;
}

/** The tools of MCP servers, and what else they have. Programs that were started run until `close()`. */
export interface McpToolset extends Toolset, McpContents {
  /** Calls `listener` after `list()` has changed; returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** Says whose a tool of the list is, by its name: the server, and the name that it has there. Who is asked about a call should see both. */
  origin(tool: string): McpToolOrigin | undefined;
  /** Hashes of all approved definitions, for the option `pins` of a later run. */
  pins(): McpPins;
  /**
   * Tools with which a model lists and reads the resources and prompts of these servers: `list_resources`, `read_resource`, `list_prompts` and
   * `get_prompt`. They are not in `list()`: register them where the model finds them when it asks, with `{ hidden: true }` in a registry. What a server
   * wrote is bounded and marked as its own. Reading is `external`, unless `trustHints` names all servers.
   */
  contentTools(): readonly ToolWithHandler[];
  /** The apps of the servers, for a program that shows some (`showsApps`). */
  readonly apps: McpApps;
  /** Ends connections and programs; calls that are running get a result. May be called twice. Never rejects. */
  close(): Promise<void>;
}

/**
 * Connects to MCP servers and offers their tools, as `mcp__server__tool`, in the order of the config.
 *
 * Throws `CONFIG_INVALID` before anything is started, and `TOOL_UNAVAILABLE` for the first server that cannot be used; then nothing is left
 * running. A server that goes away later is started or reached again for the next call.
 *
 * @example
 * ```ts
 * import { connectMcp } from '@kernel/mcp';
 *
 * const tools = await connectMcp({ mcpServers: { files: { command: 'npx', args: ['-y', 'some-mcp-server', '.'] } } });
 * console.log(tools.list().map(({ name }) => name)); // mcp__files__read, …
 * await tools.close();
 * ```
 */
export async function connectMcp(config: McpConfig, options: ConnectMcpOptions = {}): Promise<McpToolset> {
  checkConnectKeys(options);
  const configs = readMcpConfig(config);
  const {
    timeoutMs = 60_000,
    maxCallMs = 3_600_000,
    graceMs = 1000,
    approveTools,
    pins,
    trustHints = [],
    onUnavailable,
    fetch,
    elicit,
    elicitUrl,
    roots,
    showsApps = false,
    sampling,
    traceContext,
  } = options;
  checkTrusted(trustHints, configs);
  if (sampling !== undefined) checkSampling(sampling);
  const { client = { name: '@kernel/mcp', version: '1' } } = options;
  const connectTimeoutMs = Math.min(options.connectTimeoutMs ?? 60_000, MAX_CONNECT_TIMEOUT_MS);
  for (const [name, value] of Object.entries({ timeoutMs, maxCallMs, connectTimeoutMs, graceMs }))
    checkTimeout(name, value);

  const listeners = new Set<() => void>();
  const nameTool = createToolNames();
  let list: readonly Tool[] | undefined;
  let isClosed = false;
  const onChanged = (): void => {
    list = undefined;
    // The error of one listener must not keep the change from the others.
    for (const listener of listeners) attempt(listener);
  };
  const servers = configs.map(
    (serverConfig): CallTarget & { readonly tools: ApprovedTools; readonly take: TakeList } => {
      const { name } = serverConfig;
      const redact = createServerRedactor(serverConfig);
      const tools = createApprovedTools({
        server: name,
        nameOf: (tool) => nameTool(name, tool),
        pins: pins === undefined ? undefined : (new Map(Object.entries(pins)).get(name) ?? {}),
        approve: approveTools,
        trustsHints: trustHints.includes(name),
        onChanged,
        onFault: (tool, fault) => onUnavailable?.(name, faultError(name, tool, redact(fault))),
      });
      const elicitation = elicit === undefined && elicitUrl === undefined ? undefined : { elicit, elicitUrl };
      const connection: ConnectionOptions = {
        client,
        connectTimeoutMs,
        graceMs,
        fetch,
        elicitation,
        roots,
        showsApps,
        // For all connections of the server: one that comes back has used what it had used.
        sampling: sampling && createSampling(name, sampling),
        redact,
      };
      const take = takeLists(tools, (fault) => onUnavailable?.(name, listError(name, redact(fault))));
      const server = createRemoteServer(serverConfig, connection, (listed) => void take(listed));
      return { server, tools, redact, timeoutMs, maxCallMs, traceContext, take };
    },
  );

  const close = async (): Promise<void> => {
    isClosed = true;
    await Promise.all(servers.map(({ server }) => server.close()));
  };
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const opening = servers.map(async ({ server, take }) => {
    try {
      const listed = await server.open(signal);
      return () => take(listed);
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

  const askServer = createAskServer(servers, timeoutMs === 0 ? MAX_TIMER_MS : timeoutMs);
  const contents = createContents(askServer);
  const listed = (): readonly Tool[] => (list ??= Object.freeze(servers.flatMap(({ tools }) => tools.tools())));
  return {
    ...contents,
    apps: createApps(askServer, () => isClosed),
    contentTools() {
      const names = configs.map(({ name }) => name);
      return createContentTools(
        contents,
        names,
        names.every((name) => trustHints.includes(name)),
      );
    },
    list: listed,
    ...createRemoteCalls(servers, () => isClosed),
    async listFor(turn) {
      const either = AbortSignal.any([turn.signal, AbortSignal.timeout(TURN_TIMEOUT_MS)]);
      const settled = Promise.all(servers.map(({ server }) => server.settled()));
      await untilAborted(settled, either).catch(() => {});
      return listed();
    },
    subscribe(listener) {
      // A listener that is added twice counts twice.
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    origin(name) {
      const found = servers.find(({ tools }) => tools.has(name));
      const tool = found?.tools.find(name)?.name;
      return found === undefined || tool === undefined ? undefined : { server: found.server.config.name, tool };
    },
    pins: () => Object.fromEntries(servers.map(({ server, tools }) => [server.config.name, tools.pins()])),
    close,
  };
}

type TakeList = (listed: ListedTools) => Promise<void>;

/** Returns what takes the lists of a server, and reports once why one is not whole. A tool that a broken list lacks is not gone. */
function takeLists(tools: ApprovedTools, onFault: (fault: string) => void): TakeList {
  let last: string | undefined;
  let hasList = false;
  return async ({ entries, fault, isBroken, sendsHeaders }) => {
    if (fault !== undefined && fault !== last) onFault(fault);
    last = fault;
    if (isBroken === true && hasList) return;
    hasList = true;
    await tools.update(entries, sendsHeaders);
  };
}

function listError(server: string, fault: string): KernelError {
  return new KernelError('TOOL_UNAVAILABLE', `MCP server "${server}" ${fault}; the tools listed until then are used.`, {
    data: { server, isPartial: true },
  });
}

function faultError(server: string, tool: string, fault: string): KernelError {
  return new KernelError('TOOL_UNAVAILABLE', `"${tool}" of MCP server "${server}" cannot be used: ${fault}.`, {
    data: { server, tool },
  });
}
