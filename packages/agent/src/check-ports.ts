import { describeType, KernelError, type Provider, type Toolset } from '@kernel/protocol';

/** Throws `CONFIG_INVALID` for what is not a provider, and says what to pass. */
export function checkProvider(owner: string, provider: Partial<Provider> | null | undefined): void {
  if (typeof provider === 'object' && typeof provider?.stream === 'function') return;
  const problem = provider === undefined ? 'without a provider' : `with ${describeType(provider)} as its provider`;
  throw new KernelError('CONFIG_INVALID', `${owner} was called ${problem}.`, {
    hint: 'Pass a Provider, for example createProvider({ name: "openai", … }) of @kernel/providers.',
  });
}

/** Throws `CONFIG_INVALID` for what is neither undefined nor a toolset, and says what to pass. */
export function checkToolset(owner: string, tools: Partial<Toolset> | null | undefined): void {
  if (tools === undefined) return;
  if (typeof tools === 'object' && typeof tools?.call === 'function' && typeof tools.list === 'function') return;
  throw new KernelError('CONFIG_INVALID', `${owner} was called with tools that are not a Toolset.`, {
    hint: 'Pass createRegistry([…]) of @kernel/tools, not a list of tools.',
  });
}
