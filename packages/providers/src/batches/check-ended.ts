import { KernelError } from '@kernel/protocol';
import type { Batch } from './types.ts';

/** Throws `CONFIG_INVALID` for a batch that has no results yet. @internal */
export function checkEnded(provider: string, { id, status }: Batch): void {
  if (status !== 'running') return;
  throw new KernelError('CONFIG_INVALID', `${provider}: the batch "${id}" is still running.`, {
    hint: 'Await wait(id).',
  });
}
