import { usageError } from '../usage-error.ts';

/** What `--sandbox` can be. */
export const SANDBOXES: readonly string[] = ['auto', 'required', 'off'];

/** Returns the name of what isolates commands; undefined if nothing does. */
export async function isolationName(sandbox = 'auto'): Promise<string | undefined> {
  if (sandbox === 'off') return undefined;
  const { detectIsolation } = await import('@kernel/toolbox/commands');
  return (await detectIsolation())?.name;
}

/** Returns how commands are isolated. Rejects with a usage error for `required` where the system has no way to. */
export async function isolationFor(sandbox = 'auto'): Promise<'auto' | 'required' | 'none'> {
  if (sandbox === 'off') return 'none';
  if (sandbox !== 'required') return 'auto';
  const { detectIsolation } = await import('@kernel/toolbox/commands');
  if ((await detectIsolation()) !== undefined) return 'required';
  throw usageError(
    '--sandbox required: this system has no way to isolate commands. Install bubblewrap, or give --sandbox auto, which says so in each result.',
  );
}
