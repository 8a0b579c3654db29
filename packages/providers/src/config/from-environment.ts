import { node } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** Creates a token source that reads an environment variable at each call. The call throws `CONFIG_INVALID` when the variable is unset or empty. */
export function fromEnvironment(variable: string): () => string {
  return () => {
    const value = node.process?.env?.[variable]?.trim();
    if (value !== undefined && value !== '') return value;
    throw new KernelError('CONFIG_INVALID', `The environment variable ${variable} is not set.`, {
      hint: `Set ${variable} to the key, or use another token source.`,
      data: { variable },
    });
  };
}
