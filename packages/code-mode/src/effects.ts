import type { Tool, ToolEffect } from '@kernel/protocol';

/** The effects of tools, the weakest first. */
export const EFFECTS: readonly ToolEffect[] = ['read', 'idempotent', 'write', 'external'];

/** The strongest effect of some tools. A tool that says nothing, or what is not an effect, is `external`. */
export function strongestEffect(tools: readonly Tool[]): ToolEffect {
  const others = EFFECTS.filter((effect) => effect !== 'external');
  const isExternal = tools.some(({ effect }) => !others.some((other) => other === effect));
  if (isExternal) return 'external';
  return others.findLast((each) => tools.some(({ effect }) => effect === each)) ?? 'read';
}
