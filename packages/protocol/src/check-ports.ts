import { isObject } from '@kernel/internal';
import { KernelError } from './error.ts';
import { describeType } from './option-keys.ts';
import type { Provider, Toolset } from './port.ts';

/** Throws `CONFIG_INVALID` for anything that is not a provider; the hint says what to pass. `owner` is what takes it, such as `run`. */
export function checkProvider(owner: string, value: unknown): asserts value is Provider {
  if (isObject(value) && typeof value['stream'] === 'function') return;
  const problem = value === undefined ? 'without a provider' : `with ${describeType(value)} as its provider`;
  throw new KernelError('CONFIG_INVALID', `${owner} was called ${problem}.`, {
    hint: "Pass a provider, such as createProvider({ name: 'openai', token }) of @kernel/providers.",
  });
}

/** Throws `CONFIG_INVALID` for anything that is not a toolset; the hint says what to pass. */
export function checkToolset(owner: string, value: unknown): asserts value is Toolset {
  if (isObject(value) && typeof value['list'] === 'function' && typeof value['prepare'] === 'function') return;
  throw new KernelError('CONFIG_INVALID', `${owner} takes a Toolset, not ${describeType(value)}.`, {
    hint: 'Put the tools into a registry: createRegistry([…]) of @kernel/tools.',
  });
}
