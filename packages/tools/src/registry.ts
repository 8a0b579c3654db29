import type { CallContext, ToolCall, ToolResult, Toolset, TurnContext } from '@kernel/protocol';
import type { RawArguments } from './arguments/parse.ts';
import type { RepairPolicy, ToolBinding, UnknownProperties } from './binding.ts';
import { type RegistryListener, type RegistryEvent, createEvents } from './registry/events.ts';
import { createRunner } from './call/run.ts';
import { errorOf } from './call/outcome.ts';
import { createStore, isOffered } from './registry/store.ts';
import { type Changes, createChanges } from './registry/changes.ts';
import { type Capabilities, createCapabilities } from './capability.ts';
import { once } from './describe.ts';
import { createFinder } from './registry/find.ts';
import { type Turns, createTurns } from './registry/turns.ts';

/** What a registry is made with; a tool's own settings beat these. */
export interface RegistryOptions {
  /** Default limit of a handler in milliseconds; `0` or `Infinity` means none. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Default `apply`. */
  readonly repair?: RepairPolicy | undefined;
  /** Default `strip`. */
  readonly unknownProperties?: UnknownProperties | undefined;
  /** How many calls run at once in all. Default: no limit. */
  readonly concurrency?: number | undefined;
  /** How often a retryable failure of a `read` or `idempotent` tool is tried again. Default 0. */
  readonly retries?: number | undefined;
  /** Texts that no model may see; taken out of every result. */
  readonly secrets?: readonly string[] | undefined;
  /** Whether call events carry arguments and results. Default false. */
  readonly detail?: boolean | undefined;
  /** Answers what tools require. Default: environment variables and programs on the PATH. */
  readonly capabilities?: Capabilities | undefined;
  /** Hears what a listener threw. Default: nobody. */
  readonly onListenerError?: ((error: unknown, event: RegistryEvent) => void) | undefined;
}

/** How one `execute` runs. */
export interface ExecuteOptions extends Partial<CallContext> {
  /** Beats the tool's and the registry's; `0` or `Infinity` means none. */
  readonly timeoutMs?: number | undefined;
  /** Default: `execute-1`, `execute-2` and so on. */
  readonly callId?: string | undefined;
}

/**
 * Holds tools and runs calls. A `Toolset`, so that it goes into `run()` or an MCP server as it is.
 *
 * Changes take effect at once and never wait; a running call keeps the binding that it started with.
 */
export interface ToolRegistry extends Toolset, Changes, Turns {
  /** How many tools `list()` has. */
  readonly size: number;
  /** Rises with each successful change. */
  readonly version: number;
  /** How many handlers were left behind by a timeout or an abort and still run. */
  readonly abandoned: number;
  get(name: string, options?: { readonly includeHidden?: boolean | undefined }): ToolBinding | undefined;
  /** Whether `list()` has a tool of this name. */
  has(name: string): boolean;
  /** The names in list order. */
  names(): readonly string[];
  call(call: ToolCall, context: CallContext): Promise<ToolResult>;
  /** Runs a tool by name, for programs. Never rejects, like `call`. */
  execute(name: string, args?: RawArguments, options?: ExecuteOptions): Promise<ToolResult>;
  /** Like `execute`, but throws the `KernelError` of a failure and, for the caller's own abort, `signal.reason`. */
  executeOrThrow(name: string, args?: RawArguments, options?: ExecuteOptions): Promise<ToolResult>;
  /** Hears changes of the registry and, with `calls`, its calls. Returns the undo. */
  subscribe(listener: RegistryListener, options?: { readonly calls?: boolean | undefined }): () => void;
  beginTurn(turn: TurnContext): Promise<void>;
}

const TIMEOUT_MS = 30_000;

/** Creates a registry with some tools: all of them, or it throws and lists every clash. No two registries share anything. */
export function createRegistry(bindings: Iterable<ToolBinding> = [], options: RegistryOptions = {}): ToolRegistry {
  const events = createEvents((error, event) => options.onListenerError?.(error, event));
  const store = createStore((type, name, version, warnings) =>
    events.emit({ type, name, version, ...(warnings === undefined ? {} : { warnings }) }),
  );
  const changes = createChanges(store);
  const capabilities = once(() => options.capabilities ?? createCapabilities());
  const turns = createTurns(store, capabilities);
  const runner = createRunner({
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    repair: options.repair ?? 'apply',
    unknownProperties: options.unknownProperties ?? 'strip',
    concurrency: options.concurrency ?? Infinity,
    retries: options.retries ?? 0,
    secrets: options.secrets ?? [],
    detail: options.detail ?? false,
    events,
    limit: (result) => result,
  });
  const names = (): readonly string[] => store.list().map((tool) => tool.name);
  const find = createFinder(store, capabilities, names);
  let executed = 0;

  const start = (
    id: string,
    name: string,
    args: RawArguments,
    context: CallContext,
    timeoutMs: number | undefined,
  ): Promise<ToolResult> => {
    const found = find(name);
    if (found instanceof Promise) {
      return found.then((entry) =>
        'forLLM' in entry ? entry : runner.run({ id, binding: entry, arguments: args, context, timeoutMs }),
      );
    }
    return 'forLLM' in found
      ? Promise.resolve(found)
      : runner.run({ id, binding: found, arguments: args, context, timeoutMs });
  };
  const execute = (name: string, args: RawArguments, given: ExecuteOptions): Promise<ToolResult> => {
    executed += 1;
    const { timeoutMs, callId = `execute-${executed}`, ...rest } = given;
    return start(callId, name, args, { ...rest, signal: given.signal ?? new AbortController().signal }, timeoutMs);
  };

  changes.registerAll(bindings);
  return {
    ...changes,
    ...turns,
    get size() {
      return store.list().length;
    },
    get version() {
      return store.version;
    },
    get abandoned() {
      return runner.abandoned;
    },
    get(name, getOptions) {
      const entry = store.entries.get(name);
      const shown =
        entry !== undefined && (!entry.hidden || entry.promotion !== undefined || getOptions?.includeHidden === true);
      return shown ? entry.binding : undefined;
    },
    has(name) {
      const entry = store.entries.get(name);
      return entry !== undefined && isOffered(entry);
    },
    names,
    list: () => store.list(),
    call: (call, context) => start(call.id, call.name, call.arguments, context, undefined),
    execute: (name, args, executeOptions = {}) => execute(name, args, executeOptions),
    async executeOrThrow(name, args, executeOptions = {}) {
      const result = await execute(name, args, executeOptions);
      if (result.isError !== true) return result;
      if (result.code === 'TOOL_CANCELLED' && executeOptions.signal?.aborted === true)
        throw executeOptions.signal.reason;
      throw errorOf(result);
    },
    subscribe: (listener, subscribeOptions) => events.subscribe(listener, subscribeOptions),
  };
}
