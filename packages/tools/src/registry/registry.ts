import type { CallContext, Tool, ToolResult, Toolset } from '@kernel/protocol';
import type { RawArguments } from '../arguments/parse.ts';
import type { ToolBinding } from '../tool/binding.ts';
import { errorOf, refusal } from '../call/result.ts';
import { createRunner } from '../call/runner.ts';
import { createCapabilities } from '../capabilities.ts';
import { once } from '../tool/check-tool.ts';
import { callFault, checkRegistryOptions, executeFault } from './options.ts';
import { createChanges } from './registration.ts';
import { createEvents } from './events.ts';
import { type Found, createFinder, orCancelled, whenAble } from './lookup.ts';
import { createLists } from './queries.ts';
import { createMounts } from './mount.ts';
import { unknownTool } from './names.ts';
import { createState } from './state.ts';
import { createStore } from './entries.ts';
import { createTurns } from './availability.ts';
import type { ExecuteOptions, RegistryOptions, ToolRegistry } from './types.ts';
import { createView } from './view.ts';
import { READ_RESULT, createResultStore, limitResult } from '../call/result-store.ts';

export type { ExecuteOptions, RegistryOptions, ToolRegistry } from './types.ts';

const TIMEOUT_MS = 30_000;

/** Creates a registry with some tools: all of them, or it throws and lists every clash. No two registries share anything. */
export function createRegistry(bindings: Iterable<ToolBinding> = [], options: RegistryOptions = {}): ToolRegistry {
  checkRegistryOptions(options);
  const events = createEvents((error, event) => options.onListenerError?.(error, event));
  const store = createStore((type, name, version, warnings) =>
    events.emit({ type, name, version, ...(warnings === undefined ? {} : { warnings }) }),
  );
  const changes = createChanges(store);
  const lists = createLists(store);
  const mounts = createMounts(store, changes);
  const capabilities = once(() => options.capabilities ?? createCapabilities());
  const turns = createTurns(store, capabilities, mounts.mounted);
  const find = createFinder(store, capabilities, () => lists.names());
  const results = options.results ?? createResultStore();
  const limitOf = (binding: ToolBinding): number => binding.resultLimit ?? options.resultLimit ?? 0;
  const runner = createRunner({
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    repair: options.repair ?? 'apply',
    unknownProperties: options.unknownProperties ?? 'strip',
    concurrency: options.concurrency ?? Infinity,
    retries: options.retries ?? 0,
    secrets: options.secrets ?? [],
    detail: options.detail ?? false,
    events,
    limit: (result, binding) => limitResult(result, limitOf(binding), results, () => lists.has(READ_RESULT)),
  });
  let executed = 0;

  const start = (name: string, found: Found | Promise<Found>, given: Given): Promise<ToolResult> => {
    if (found instanceof Promise) {
      return orCancelled(found, name, given.context.signal).then((settled) => start(name, settled, given));
    }
    if ('forLLM' in found) return Promise.resolve(runner.refuse(name, given.id, found));
    return runner.run({ ...given, binding: found });
  };
  const execute = (name: string, args: RawArguments, given: ExecuteOptions): Promise<ToolResult> => {
    executed += 1;
    const fault = executeFault(name, given);
    if (fault !== undefined)
      return Promise.resolve(
        runner.refuse(typeof name === 'string' ? name : '<unnamed>', `execute-${executed}`, refusal(fault)),
      );
    const {
      timeoutMs,
      callId = `execute-${executed}`,
      signal = new AbortController().signal,
      onProgress,
      onComplete,
    } = given;
    const context: CallContext = {
      signal,
      conversation: given.conversation,
      idempotencyKey: given.idempotencyKey,
      ...(onProgress === undefined ? {} : { onProgress }),
      ...(onComplete === undefined ? {} : { onComplete }),
    };
    return start(name, find(name), { id: callId, arguments: args, context, timeoutMs });
  };
  const snapshot = (): Toolset => {
    const tools = store.list();
    const held = new Map(tools.map((tool) => [tool.name, store.entries.get(tool.name)?.binding]));
    const names = tools.map((tool) => tool.name);
    return {
      list: () => tools,
      call(call, context) {
        const fault = callFault(call, context);
        if (fault !== undefined) return Promise.resolve(refusal(fault));
        const binding = held.get(call.name);
        const found = binding === undefined ? unknownTool(call.name, names) : whenAble(binding, capabilities);
        return start(call.name, found, { id: call.id, arguments: call.arguments, context });
      },
    };
  };
  /** What would be offered but for a missing capability. */
  const lacking = (): readonly Tool[] =>
    [...store.entries.values()]
      .filter((entry) => entry.enabled && !entry.hidden && entry.missing.length > 0)
      .map((entry) => entry.binding.tool);

  const registry: ToolRegistry = {
    ...lists,
    ...changes,
    ...turns,
    ...createState(store),
    mount: mounts.mount,
    results,
    get size() {
      return lists.size;
    },
    get version() {
      return store.version;
    },
    get abandoned() {
      return runner.abandoned;
    },
    call(call, context) {
      const fault = callFault(call, context);
      if (fault !== undefined) return Promise.resolve(refusal(fault));
      return start(call.name, find(call.name), { id: call.id, arguments: call.arguments, context });
    },
    execute: (name, args, executeOptions = {}) => execute(name, args, executeOptions),
    async executeOrThrow(name, args, executeOptions = {}) {
      const result = await execute(name, args, executeOptions);
      if (result.isError !== true) return result;
      if (result.code === 'TOOL_CANCELLED' && executeOptions.signal?.aborted === true)
        throw executeOptions.signal.reason;
      throw errorOf(result);
    },
    view: (filter = {}) => mounts.own(createView({ ...registry, lacking }, filter)),
    snapshot,
    subscribe: (listener, subscribeOptions) => events.subscribe(listener, subscribeOptions),
  };
  changes.registerAll(bindings);
  return mounts.own(registry);
}

/** A call but for its binding. */
type Given = Omit<Parameters<ReturnType<typeof createRunner>['run']>[0], 'binding'>;
