import { isObject } from '@kernel/internal';
import { describeType, KernelError, type Provider } from '@kernel/protocol';

/** Throws `CONFIG_INVALID` for what is not a provider, and says what to pass. @internal */
export function checkProvider(owner: string, value: unknown): asserts value is Provider {
  if (isObject(value) && typeof value['stream'] === 'function') return;
  throw new KernelError('CONFIG_INVALID', `${owner} needs a provider, not ${describeType(value)}.`, {
    hint: "Pass a provider, such as createProvider({ name: 'openai', token }).",
  });
}
