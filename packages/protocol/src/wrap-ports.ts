import type { CallContext, PreparedCall, Provider, RunningCall, Toolset } from './port.ts';
import { KernelError } from './error.ts';
import { isToolResult, toErrorResult, type ToolResult } from './result.ts';
import type { ToolCall } from './tool.ts';

const PROVIDER_METHODS = ['stream', 'structuredOutput', 'mediaLimits', 'countTokens', 'embed', 'transcribe'] as const;
const TOOLSET_METHODS = ['list', 'listFor', 'prepare', 'subscribe'] as const;

/**
 * Returns a copy of a provider with some members replaced. The others, including methods inherited from a class, are called on the original.
 *
 * @example
 * ```ts
 * import { type Provider, wrapProvider } from '@kernel/protocol';
 *
 * // Sends every request to one model.
 * const withModel = (provider: Provider, model: string): Provider =>
 *   wrapProvider(provider, { stream: (request) => provider.stream({ ...request, model }) });
 * ```
 */
export function wrapProvider(provider: Provider, changes: Partial<Provider>): Provider {
  return { ...provider, name: provider.name, ...boundMethods(provider, PROVIDER_METHODS), ...changes };
}

/** Returns a copy of a toolset with some members replaced. The others, including methods inherited from a class, are called on the original. */
export function wrapToolset<Context = unknown>(
  tools: Toolset<Context>,
  changes: Partial<Toolset<Context>>,
): Toolset<Context> {
  return { ...tools, ...boundMethods(tools, TOOLSET_METHODS), ...changes };
}

/**
 * Returns a copy of a toolset that changes its prepared calls, or refuses them by a failed result. Results of the toolset pass by. What is prepared
 * at once stays so, if `wrap` returns at once.
 *
 * @example
 * ```ts
 * import { type Toolset, wrapCalls } from '@kernel/protocol';
 *
 * // Tells how long each call takes.
 * const withTimes = (tools: Toolset, tell: (name: string, ms: number) => void): Toolset =>
 *   wrapCalls(tools, (prepared) => ({
 *     ...prepared,
 *     async run(running) {
 *       const started = performance.now();
 *       const result = await prepared.run(running);
 *       tell(prepared.tool.name, performance.now() - started);
 *       return result;
 *     },
 *   }));
 * ```
 */
export function wrapCalls<Context = unknown>(
  tools: Toolset<Context>,
  wrap: (
    prepared: PreparedCall,
    call: ToolCall,
    context: CallContext<Context>,
  ) => PreparedCall | ToolResult | Promise<PreparedCall | ToolResult>,
): Toolset<Context> {
  return wrapToolset(tools, {
    prepare(call, context) {
      const wrapped = (prepared: PreparedCall | ToolResult) =>
        isToolResult(prepared) ? prepared : wrap(prepared, call, context);
      const prepared = tools.prepare(call, context);
      return prepared instanceof Promise ? prepared.then(wrapped) : wrapped(prepared);
    },
  });
}

/**
 * Prepares a call and runs it, for whoever has nobody to ask: a call that needs an approval is the failed result `TOOL_DENIED`. Never rejects, as
 * long as the toolset does not.
 */
export function callTool<Context = unknown>(
  tools: Toolset<Context>,
  call: ToolCall,
  context: CallContext<Context> & Omit<RunningCall, 'signal'>,
): Promise<ToolResult> {
  try {
    const prepared = tools.prepare(call, context);
    return prepared instanceof Promise
      ? prepared.then((each) => runUnasked(each, context))
      : runUnasked(prepared, context);
  } catch (error) {
    return Promise.reject(error);
  }
}

function runUnasked(prepared: PreparedCall | ToolResult, running: RunningCall): Promise<ToolResult> {
  if (!('run' in prepared)) return Promise.resolve(prepared);
  if (prepared.needsApproval === true) {
    const message = `"${prepared.tool.name}" was not allowed: it needs approval, and nobody can be asked.`;
    return Promise.resolve(toErrorResult(new KernelError('TOOL_DENIED', message), 'denied'));
  }
  if (prepared.awaitsStarted === true || running.started === undefined) return prepared.run(running);
  return Promise.resolve(running.started()).then(() => prepared.run(running));
}

function boundMethods<Port extends object, Name extends keyof Port>(
  port: Port,
  names: readonly Name[],
): Pick<Port, Name> {
  const bound = names.flatMap((name) => {
    const method: unknown = port[name];
    return typeof method === 'function' ? [[name, method.bind(port) as unknown]] : [];
  });
  // What the port does not have is optional in it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(bound) as Pick<Port, Name>;
}
