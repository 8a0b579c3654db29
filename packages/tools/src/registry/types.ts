import type { CallContext, Conversation, Tool, ToolCall, ToolResult, Toolset, TurnContext } from '@kernel/protocol';
import type { RawArguments } from '../arguments/parse.ts';
import type { RepairPolicy, UnknownProperties } from '../tool/binding.ts';
import type { Capabilities } from '../capabilities.ts';
import type { ResultStore } from '../call/result-store.ts';
import type { Changes } from './registration.ts';
import type { RegistryEvent, RegistryListener } from './events.ts';
import type { Lists } from './queries.ts';
import type { Mounts } from './mount.ts';
import type { RegistryState } from './state.ts';
import type { Turns } from './availability.ts';
import type { ToolView, ViewFilter } from './view.ts';

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
  /** How many characters of a result the model gets; the full text is kept in `results`. Default: all. */
  readonly resultLimit?: number | undefined;
  /** Where full texts are kept. Default: a store of this registry's own. */
  readonly results?: ResultStore | undefined;
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
export interface ExecuteOptions {
  /** Default: one that never aborts. */
  readonly signal?: AbortSignal | undefined;
  readonly conversation?: Conversation | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Beats the tool's and the registry's; `0` or `Infinity` means none. */
  readonly timeoutMs?: number | undefined;
  /** Default: `execute-1`, `execute-2` and so on. */
  readonly callId?: string | undefined;
  readonly onProgress?: ((update: string) => void) | undefined;
  readonly onComplete?: ((result: ToolResult) => void) | undefined;
}

/**
 * Holds tools and runs calls. A `Toolset`, so that it goes into `run()` or an MCP server as it is.
 *
 * Changes take effect at once and never wait; a running call keeps the binding that it started with.
 */
export interface ToolRegistry extends Toolset, Changes, Lists, Turns, RegistryState, Pick<Mounts, 'mount'> {
  /** Rises with each successful change. */
  readonly version: number;
  /** How many handlers were left behind by a timeout or an abort and still run. */
  readonly abandoned: number;
  /** The full texts of results that were cut. */
  readonly results: ResultStore;
  list(): readonly Tool[];
  call(call: ToolCall, context: CallContext): Promise<ToolResult>;
  /**
   * Runs a tool by name, for programs: arguments as text, as an object or none. Never rejects, like `call`: wrong options give a result of
   * code `CONFIG_INVALID`.
   */
  execute(name: string, args?: RawArguments, options?: ExecuteOptions): Promise<ToolResult>;
  /** Like `execute`, but throws the `KernelError` of a failure and, for the caller's own abort, `signal.reason`. */
  executeOrThrow(name: string, args?: RawArguments, options?: ExecuteOptions): Promise<ToolResult>;
  /** A read-only part that follows later changes. */
  view(filter?: ViewFilter): ToolView;
  /** What is offered now, for good: later changes don't reach it. */
  snapshot(): Toolset;
  /**
   * Hears what happens: all eleven kinds of event for a listener that takes the event, the seven changes for one that takes nothing (as the
   * port `Toolset` has it). `calls` decides it otherwise. Returns the undo.
   */
  subscribe(listener: RegistryListener, options?: { readonly calls?: boolean | undefined }): () => void;
  beginTurn(turn: TurnContext): Promise<void>;
}
