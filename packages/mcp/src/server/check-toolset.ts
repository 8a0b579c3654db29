import { describeType, KernelError, type Toolset } from '@kernel/protocol';

/** Throws `CONFIG_INVALID` for what is not a toolset, and says what to pass. */
export function checkToolset(owner: string, toolset: unknown): void {
  if (isToolset(toolset)) return;
  throw new KernelError('CONFIG_INVALID', `${owner} takes a Toolset, not ${describeType(toolset)}.`, {
    hint: `Put the tools into a registry: ${owner}(createRegistry([…])) with createRegistry of @kernel/tools.`,
  });
}

function isToolset(value: unknown): value is Toolset {
  if (typeof value !== 'object' || value === null || !('list' in value) || !('call' in value)) return false;
  return typeof value.list === 'function' && typeof value.call === 'function';
}
