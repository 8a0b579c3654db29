import type {
  Tool,
  ToolWithHandler,
  ToolMetadata,
  ToolOptionality,
  ToolResult,
  Toolset,
  TurnContext,
} from '@kernel/protocol';
import type { RawArguments } from '@kernel/schema';
import type { ResultStore } from '../call/result-store.ts';
import type { ToolBinding } from '../tool/binding.ts';
import type { ContextOf, NamedTools, ResultOf, ToolTypes } from '../tool/tool-types.ts';
import type { RegistryListener } from './events.ts';
import type { ExecuteOptions } from './options.ts';
import type { ToolView, ViewFilter } from './view.ts';

/**
 * Holds tools and runs calls. It is a `Toolset`: pass it to `run()` or an MCP server as it is.
 *
 * A change takes effect at once, raises `version`, notifies listeners and never waits for calls; a running call keeps the binding that it
 * started with. A change that throws has changed nothing.
 *
 * `Tools` are the tools that it was created with, by name; `Context` is what they need together. Tools that are added later are not in the types: annotate
 * such a registry as `ToolRegistry`.
 */
export interface ToolRegistry<Tools extends NamedTools = NamedTools, Context = unknown>
  extends Toolset<Context>, BindingSource {
  // Queries. All of them agree with `list()`.

  /** The number of tools in `list()`. */
  readonly size: number;
  /** Rises with each change. */
  readonly version: number;
  /** The tools on offer, in the last turn that began: the same frozen array until a change. */
  list(): readonly Tool[];
  /** Whether `list()` has a tool of this name. */
  has(name: string): boolean;
  /** The binding of a name, even if disabled; a hidden one only while promoted or with `includeHidden`. */
  get(
    name: string,
    options?: {
      /** Whether a hidden binding is returned too. Default false. */
      readonly includeHidden?: boolean | undefined;
    },
  ): ToolBinding | undefined;
  /** The names in list order. */
  names(): readonly string[];
  /** One line for each tool in list order: `` - `name` - description ``. */
  summaries(): readonly string[];
  /** The tools of a category in list order. */
  listByCategory(category: string): readonly Tool[];
  /** The tools of an optionality in list order. A tool without metadata counts as `optional`. */
  listByOptionality(optionality: ToolOptionality): readonly Tool[];
  /** The hidden tools that can be promoted: enabled, not promoted, no capability missing, condition true. */
  hiddenTools(): readonly Tool[];

  // Changes.

  /** Adds a tool. Throws `TOOL_ALREADY_EXISTS` with free names, or `TOOL_NAME_INVALID`. */
  register(binding: ToolBinding | ToolWithHandler, options?: RegisterOptions): RegisterResult;
  /** Adds all tools or none. The error lists every clash. */
  registerAll(bindings: Iterable<ToolBinding | ToolWithHandler>, options?: RegisterOptions): readonly RegisterResult[];
  /** Adds all tools of another registry or none. Hidden ones stay hidden. */
  merge(other: BindingSource, options?: Pick<RegisterOptions, 'onConflict'>): readonly RegisterResult[];
  /** Replaces the tool of that name; its position in the list stays. Throws `TOOL_NOT_FOUND`. */
  replace(binding: ToolBinding | ToolWithHandler): void;
  /** Removes a tool and returns whether it existed. With `strict`, an unknown name throws `TOOL_NOT_FOUND`. */
  unregister(
    name: string,
    options?: {
      /** Whether an unknown name throws. Default false. */
      readonly strict?: boolean | undefined;
    },
  ): boolean;
  /** Puts disabled tools back at their positions in the list. Throws `TOOL_NOT_FOUND`. */
  enable(names: Iterable<string>): void;
  /** Takes tools out of the list; calling one gives `TOOL_NOT_FOUND`. Throws `TOOL_NOT_FOUND`. */
  disable(names: Iterable<string>): void;
  /**
   * Offers hidden tools, at the end of the list, for the next `ttl` turns, default 5. A call renews that; promoting again never shortens it.
   * Throws `TOOL_NOT_FOUND`, or `CONFIG_INVALID` for a `ttl` that is not an integer of at least 1.
   */
  promote(names: Iterable<string>, ttl?: number): void;
  /**
   * Adds the tools of another toolset as `prefix_name` and follows its changes. Names stay within 64 characters by a stable suffix. The other
   * toolset's `prepare` validates the arguments, and what it prepared runs, with its own timeouts. A tool that appears later and finds its name taken
   * gets a free one with a suffix. Throws `TOOL_ALREADY_EXISTS`, or `CONFIG_INVALID` for a toolset that leads back to this registry.
   */
  mount(prefix: string, toolset: Toolset, options?: MountOptions): Mount;
  /** Overrides a tool's metadata, field by field; the tool becomes a new frozen object. Throws `TOOL_NOT_FOUND` or `TOOL_SCHEMA_INVALID`. */
  overrideMetadata(name: string, metadata: ToolMetadata): void;
  /** The state of every tool, by name, to be saved. */
  state(): ReadonlyMap<string, SavedTool>;
  /** Restores a saved state and returns the names that are not registered. Throws `CONFIG_INVALID`. */
  restore(tools: ReadonlyMap<string, SavedTool>): readonly string[];

  // Turns.

  /**
   * The tools on offer in a turn. Counts down promotions (once for a turn, however many views begin it), evaluates conditions and checks capabilities;
   * each of several runs at once has its own tools. Returns at once if nothing can change in a turn. Never rejects; ends early on abort.
   */
  listFor(turn: TurnContext<Context>): readonly Tool[] | Promise<readonly Tool[]>;
  /** Checks capabilities now and returns the tools on offer. */
  available(): Promise<readonly Tool[]>;
  /** The capabilities that were missing at the last check, by tool. Tools without missing ones are absent. */
  unavailable(): ReadonlyMap<string, readonly string[]>;

  // Calls.

  /** Prepares a call of a tool that is hidden, too, as `prepare` does with those on offer. */
  prepareHidden: Toolset<Context>['prepare'];
  /**
   * Runs a tool by a name of type `string`, which is looked up at run time. Takes the arguments as JSON text or an object. Never rejects: invalid
   * options give a result with the code `CONFIG_INVALID`.
   */
  execute<Name extends string>(
    name: DynamicName<Name>,
    args?: RawArguments,
    options?: ExecuteOptions,
  ): Promise<ToolResult>;
  /** Runs a tool by a name that is written out, which is checked with its arguments and context. Never rejects. */
  execute<Name extends keyof Tools & string>(
    name: Name,
    ...rest: ExecuteArguments<Tools[Name]>
  ): Promise<ResultOf<Tools[Name]>>;
  /** Like `execute`, but throws the `KernelError` of a failure or, after the caller's own abort, `signal.reason`. */
  executeOrThrow<Name extends string>(
    name: DynamicName<Name>,
    args?: RawArguments,
    options?: ExecuteOptions,
  ): Promise<ToolResult>;
  /** Like `execute` with a name that is written out, but throws. */
  executeOrThrow<Name extends keyof Tools & string>(
    name: Name,
    ...rest: ExecuteArguments<Tools[Name]>
  ): Promise<ResultOf<Tools[Name]>>;
  /** How many handlers were abandoned after a timeout or an abort and still run. */
  readonly abandoned: number;
  /** The full texts of results that were shortened. */
  readonly results: ResultStore;

  // Listeners and derived toolsets.

  /** Listens to calls and to changes of the registry; returns a function that stops listening. */
  onEvent(listener: RegistryListener<Tools>): () => void;
  /** Calls `listener`, without an argument, after each change of the registry; returns a function that stops that. Says nothing about calls. */
  subscribe(listener: () => void): () => void;
  /** A read-only subset that follows later changes. */
  view(filter?: ViewFilter): ToolView;
  /** The tools on offer now, fixed: later changes of the registry do not affect it. */
  snapshot(): Toolset;
}

/** Something whose bindings can be merged into a registry: another registry. */
export interface BindingSource {
  /** The bindings in order of registration, disabled ones included; hidden ones only with `includeHidden`. */
  bindings(options?: {
    /** Whether hidden bindings are included. Default false. */
    readonly includeHidden?: boolean | undefined;
  }): readonly ToolBinding[];
}

/** What `register` did. */
export type RegisterResult = 'added' | 'replaced' | 'skipped';

/** How a tool is registered. */
export interface RegisterOptions {
  /** What happens if the name is taken: throw (the default), replace the existing tool, or keep it. */
  readonly onConflict?: 'error' | 'replace' | 'skip' | undefined;
  /** Keeps the tool out of the list until it is promoted. Default: false, or for a replaced tool as it was. */
  readonly hidden?: boolean | undefined;
}

/** How a toolset is mounted. */
export interface MountOptions {
  /** Keeps its tools out of the list until they are promoted, those that appear later too. Default false. */
  readonly hidden?: boolean | undefined;
}

/** The tools of another toolset in a registry. */
export interface Mount {
  /** The names in the registry, by the names in the other toolset. */
  names(): ReadonlyMap<string, string>;
  /** Removes the tools and stops following the toolset. */
  unmount(): void;
}

/** The saved state of one tool. */
export interface SavedTool {
  /** Whether it is enabled. */
  readonly enabled: boolean;
  /** Whether it is hidden. */
  readonly hidden: boolean;
  /** The metadata that overrides the tool's own. */
  readonly metadata?: ToolMetadata;
}

/** A name that only the running program knows, such as one from a model: of type `string`, and no literal. */
export type DynamicName<Name extends string> = string extends Name ? Name : never;

/** What `execute` takes after the name of a tool: arguments unless it has no required ones, and options with the context that it needs. */
export type ExecuteArguments<Types extends ToolTypes> =
  unknown extends ContextOf<Types>
    ? object extends Types['input']
      ? [args?: string | Types['input'], options?: ExecuteOptions]
      : [args: string | Types['input'], options?: ExecuteOptions]
    : [args: string | Types['input'], options: ExecuteOptions & { readonly context: ContextOf<Types> }];
