import { KernelError } from '@kernel/protocol';
import { detectIsolation } from './detect-isolation.ts';
import type { Isolation } from './types.ts';

export async function resolveIsolation(
  option: Isolation | 'auto' | 'required' | 'none' = 'auto',
): Promise<Isolation | undefined> {
  if (typeof option === 'object') return option;
  if (option === 'none') return undefined;
  const found = await detectIsolation();
  if (found !== undefined || option === 'auto') return found;
  throw new KernelError('TOOL_FAILED', 'Commands must be isolated, but no isolation works on this system.', {
    hint: 'Install bubblewrap, or pass containerIsolation({ image }).',
  });
}
