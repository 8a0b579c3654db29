import { KernelError } from '@kernel/protocol';

/**
 * Makes a token source that reads an environment variable: at each call, not before. The call throws `CONFIG_INVALID` naming
 * the variable when it is unset or empty.
 */
export function fromEnvironment(variable: string): () => string {
  return () => {
    const value = process.env[variable]?.trim();
    if (value !== undefined && value !== '') return value;
    throw new KernelError('CONFIG_INVALID', `The environment variable ${variable} is not set.`, {
      hint: `Set ${variable} to the key, or give token another source.`,
      data: { variable },
    });
  };
}
