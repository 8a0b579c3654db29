import type { Provider, Toolset } from './port.ts';

const PROVIDER_METHODS = ['stream', 'structuredOutput', 'countTokens', 'embed', 'transcribe'] as const;
const TOOLSET_METHODS = ['list', 'call', 'validate', 'beginTurn', 'subscribe'] as const;

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
