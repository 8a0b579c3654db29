import { usageError } from '../exit-code.ts';

/** The longest that a command may take, in milliseconds. */
export const COMMAND_MS = 120_000;

/** The isolation of `--sandbox`. Rejects with a usage error for `required` where there is none. */
export async function isolationFor(sandbox = 'auto'): Promise<'auto' | 'required' | 'none'> {
  if (sandbox === 'off') return 'none';
  if (sandbox !== 'required') return 'auto';
  const { detectIsolation } = await import('@kernel/toolbox/commands');
  const found = await detectIsolation();
  if (found.isolation !== undefined) return 'required';
  throw usageError(
    `--sandbox required: nothing isolates commands here. ${found.reason} ${found.hint} Or give --sandbox auto, which says so in each result.`,
  );
}

/** What isolates commands here; undefined if nothing does. */
export async function isolationName(sandbox = 'auto'): Promise<string | undefined> {
  if (sandbox === 'off') return undefined;
  const { detectIsolation } = await import('@kernel/toolbox/commands');
  return (await detectIsolation()).isolation?.name;
}
