import {
  type CallContext,
  isToolResult,
  KernelError,
  type PreparedCall,
  type RunningCall,
  type Tool,
  type ToolCall,
  type ToolWithHandler,
  toErrorResult,
  type ToolResult,
  type Toolset,
} from '@kernel/protocol';
import type { RawArguments } from '@kernel/schema';
import { READ_RESULT, createResultStore, limitResult } from '../call/result-store.ts';
import { errorOf, failedResult, catchSync, refusedResult } from '../call/result.ts';
import { createRunner } from '../call/runner.ts';
import { createCapabilities } from '../capabilities.ts';
import { once } from '../once.ts';
import type { ToolBinding } from '../tool/binding.ts';
import type { ContextOf, NamedTools, ToolTypes } from '../tool/tool-types.ts';
import { createAvailability } from './availability.ts';
import { checkList } from './to-binding.ts';
import { createConditions } from './conditions.ts';
import { createEntryStore } from './entries.ts';
import { createRegistryEvents } from './events.ts';
import { type Lookup, type LookupResult, createLookup, offeredTo, orCancelled, requireCapabilities } from './lookup.ts';
import { createMounts } from './mount.ts';
import { unknownToolResult } from './name-errors.ts';
import {
  type ExecuteOptions,
  type RegistryOptions,
  checkRegistryOptions,
  invalidCall,
  invalidExecute,
} from './options.ts';
import { createQueries } from './queries.ts';
import { createRegistration } from './registration.ts';
import { createRegistryState } from './state.ts';
import type { ToolRegistry } from './types.ts';
import { createView } from './view.ts';

const DEFAULT_TIMEOUT_MS = 30_000;

type Prepared = ReturnType<Toolset['prepare']>;

/** Runs what was prepared for `execute`, which has nobody to ask. */
function runPrepared(prepared: PreparedCall | ToolResult, running: RunningCall): Promise<ToolResult> {
  if (isToolResult(prepared)) return Promise.resolve(prepared);
  if (prepared.needsApproval !== true) return prepared.run(running);
  const message = `"${prepared.tool.name}" was not allowed: it needs approval, and nobody can be asked.`;
  return Promise.resolve(toErrorResult(new KernelError('TOOL_DENIED', message), 'denied'));
}

type TypesOf<Given> = Given extends ToolBinding
  ? NonNullable<Given['~types']>
  : Given extends ToolWithHandler<infer Context>
    ? ToolTypes<string, ToolTypes['input'], unknown, Context>
    : never;
/** The tools of bindings by name; any tools where there is no binding. */
type ToolsOf<Binding> = [Binding] extends [never]
  ? NamedTools
  : { readonly [Each in TypesOf<Binding> as Each['name']]: Each };

/**
 * Creates a registry. Adds all bindings, or throws and lists every clash. Registries share nothing.
 *
 * The registry is typed by its bindings: names, arguments and data in `execute` and in events, and the context that handlers need.
 *
 * @example
 * ```ts
 * import { bindTool, createRegistry } from '@kernel/tools';
 *
 * const clock = { name: 'clock', description: 'Tells the time.', effect: 'read', parameters: { type: 'object' } } as const;
 * const registry = createRegistry([bindTool(clock, () => new Date().toISOString())], { timeoutMs: 5_000 });
 * const { forLLM, isError } = await registry.execute('clock', '{}');
 * ```
 */
export function createRegistry<Binding extends ToolBinding | ToolWithHandler<never> = ToolBinding>(
  bindings?: Iterable<Binding>,
  options?: RegistryOptions,
): ToolRegistry<ToolsOf<Binding>, ContextOf<TypesOf<Binding>>>;
export function createRegistry(
  bindings: Iterable<ToolBinding | ToolWithHandler> = [],
  options: RegistryOptions = {},
): ToolRegistry {
  checkList('createRegistry', bindings);
  checkRegistryOptions(options);
  const events = createRegistryEvents((error, event) => options.onListenerError?.(error, event));
  const store = createEntryStore((change) => events.emit(change));
  const registration = createRegistration(store);
  const queries = createQueries(store);
  const mounts = createMounts(store, registration);
  const capabilities = once(() => options.capabilities ?? createCapabilities());
  const conditions = createConditions();
  const availability = createAvailability(store, capabilities, mounts.mounted, conditions);
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const lookup = createLookup(store, conditions, capabilities, timeoutMs);
  const results = options.results ?? createResultStore();
  const canReadResults = (): boolean => queries.has(READ_RESULT);
  const runner = createRunner({
    timeoutMs,
    repair: options.repair ?? 'apply',
    unknownProperties: options.unknownProperties,
    concurrency: options.concurrency ?? Infinity,
    retries: options.retries ?? 0,
    secrets: options.secrets ?? [],
    detail: options.detail ?? false,
    events,
    resultLimit: options.resultLimit ?? 0,
    limitResult: (result, limit) => limitResult(result, limit, results, canReadResults),
  });

  const prepareFound = (
    found: LookupResult | Promise<LookupResult>,
    given: Omit<ToolCall, 'type' | 'arguments'> & { readonly arguments: RawArguments },
    context: CallContext,
    callTimeoutMs?: number,
  ): Prepared => {
    if (found instanceof Promise) {
      return orCancelled(found, given.name, context.signal).then((settled) =>
        prepareFound(settled, given, context, callTimeoutMs),
      );
    }
    if ('forLLM' in found) return runner.refuse(given.name, given.id, found);
    const promotion = store.entries.get(found.tool.name)?.promotion;
    const plan = runner.planOf(found);
    return runner.prepare({
      id: given.id,
      binding: found,
      arguments: given.arguments,
      context,
      plan,
      timeoutMs: callTimeoutMs ?? plan.timeoutMs,
      onRun: promotion && (() => renewPromotion(found.tool.name)),
    });
  };

  const renewPromotion = (name: string): void => {
    const promotion = store.entries.get(name)?.promotion;
    if (promotion !== undefined) promotion.turnsLeft = promotion.turns;
  };

  let executeCount = 0;
  const execute = (name: string, args: RawArguments, executeOptions: ExecuteOptions): Promise<ToolResult> => {
    executeCount += 1;
    const defaultId = `execute-${executeCount}`;
    const error = invalidExecute(name, executeOptions);
    if (error !== undefined) {
      const shownName = typeof name === 'string' ? name : '<unnamed>';
      return Promise.resolve(runner.refuse(shownName, defaultId, refusedResult(error)));
    }
    const { timeoutMs: callTimeoutMs, callId = defaultId, signal = new AbortController().signal } = executeOptions;
    const { conversation, context: value, idempotencyKey, onProgress, onComplete } = executeOptions;
    const context = { signal, conversation, context: value, idempotencyKey };
    const running = { signal, onProgress, onComplete };
    return catchSync(name, () => {
      const given = { id: callId, name, arguments: args };
      const prepared = prepareFound(lookup.offered(name, context), given, context, callTimeoutMs);
      return prepared instanceof Promise
        ? prepared.then((each) => runPrepared(each, running))
        : runPrepared(prepared, running);
    });
  };

  const prepareWith = (find: Lookup, toolCall: ToolCall, context: CallContext): Prepared => {
    try {
      const error = invalidCall(toolCall, context);
      if (error !== undefined) return refusedResult(error);
      return prepareFound(find(toolCall.name, context), toolCall, context);
    } catch (error) {
      return failedResult(error, 'call'); // a call may be an object with getters that throw
    }
  };
  const prepare: Toolset['prepare'] = (toolCall, context) => prepareWith(lookup.offered, toolCall, context);

  const snapshot = (): Toolset => {
    const tools = store.list();
    const snapshotBindings = new Map(tools.map((tool) => [tool.name, store.entries.get(tool.name)?.binding]));
    const names = tools.map((tool) => tool.name);
    const find = (name: string): LookupResult | Promise<LookupResult> => {
      const binding = snapshotBindings.get(name);
      return binding === undefined
        ? unknownToolResult(name, names)
        : requireCapabilities(binding, capabilities, timeoutMs);
    };
    return { list: () => tools, prepare: (toolCall, context) => prepareWith(find, toolCall, context) };
  };

  const listLacking = (): readonly Tool[] =>
    [...store.entries.values()]
      .filter((entry) => entry.enabled && !entry.hidden && entry.missing.length > 0)
      .map((entry) => entry.binding.tool);
  const { listFor } = availability;
  const { subscribe, onEvent } = events;
  const offered = (context: Pick<CallContext, 'turn' | 'signal'>): readonly Tool[] =>
    offeredTo(store, conditions, context);
  const viewSource = { list: queries.list, offeredTo: offered, listLacking, prepare, subscribe, listFor };

  const registry: ToolRegistry = {
    get size() {
      return store.list().length;
    },
    get version() {
      return store.version();
    },
    ...queries,
    ...registration,
    mount: mounts.mount,
    ...createRegistryState(store),
    ...availability,
    prepare,
    prepareHidden: (toolCall, context) => prepareWith(lookup.any, toolCall, context),
    execute: (name, args, executeOptions = {}) => execute(name, args, executeOptions),
    async executeOrThrow(name, args, executeOptions = {}) {
      const result = await execute(name, args, executeOptions);
      if (result.isError !== true) return result;
      if (result.code === 'TOOL_CANCELLED' && executeOptions.signal?.aborted === true)
        throw executeOptions.signal.reason;
      throw errorOf(result);
    },
    get abandoned() {
      return runner.abandoned();
    },
    results,
    onEvent,
    subscribe,
    view: (filter = {}) => mounts.registerOwner(createView(viewSource, filter)),
    snapshot,
  };
  registration.registerAll(bindings);
  return mounts.registerOwner(registry);
}
