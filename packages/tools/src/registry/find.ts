import { KernelError, type ToolResult, toErrorResult } from '@kernel/protocol';
import type { ToolBinding } from '../binding.ts';
import type { Capabilities } from '../capability.ts';
import { unknownTool } from './names.ts';
import type { Entry, Store } from './store.ts';

/** Finds what a call runs, or the result that says why nothing runs. A promise only for a tool that requires capabilities. */
export type Finder = (name: string) => ToolBinding | ToolResult | Promise<ToolBinding | ToolResult>;

/** Creates the finder of a registry. A use of a promoted tool renews its life time. */
export function createFinder(store: Store, capabilities: () => Capabilities, names: () => readonly string[]): Finder {
  return (name) => {
    const entry = store.entries.get(name);
    if (entry === undefined || !entry.enabled || (entry.hidden && entry.promotion === undefined))
      return unknownTool(name, names());
    const { metadata } = entry.binding.tool;
    if (metadata === undefined) return ready(entry);
    if (metadata.optionality === 'conditional' && entry.condition !== true)
      return unavailable(name, 'its condition does not hold in this turn', []);
    if (metadata.requires === undefined || metadata.requires.length === 0) return ready(entry);
    return capabilities()
      .missing(metadata.requires)
      .then((missing) => {
        if (missing.length > 0)
          return unavailable(name, `this machine lacks ${missing.map((need) => `"${need}"`).join(', ')}`, missing);
        return ready(entry);
      });
  };
}

function ready(entry: Entry): ToolBinding {
  if (entry.promotion !== undefined) entry.promotion.left = entry.promotion.turns;
  return entry.binding;
}

function unavailable(name: string, reason: string, missing: readonly string[]): ToolResult {
  const error = new KernelError('TOOL_UNAVAILABLE', `"${name}" cannot be used now: ${reason}.`, {
    data: { tool: name, missing: [...missing] },
  });
  return toErrorResult(error);
}
