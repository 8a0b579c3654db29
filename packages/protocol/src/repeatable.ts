import type { ToolEffect } from './tool.ts';

/** Whether a call can be repeated without harm: its tool only reads, or is idempotent. Without an effect, a tool counts as `external`. */
export function isRepeatable(effect: ToolEffect | undefined): boolean {
  return effect === 'read' || effect === 'idempotent';
}
