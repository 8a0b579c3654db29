import type { Tool } from '@kernel/protocol';

/** Whether a call can be repeated without harm: the effect is `read` or `idempotent`. Without an effect, a tool counts as `external`. */
export function isRepeatable({ effect }: Tool): boolean {
  return effect === 'read' || effect === 'idempotent';
}
