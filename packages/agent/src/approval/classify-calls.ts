import type { Tool, ToolCall } from '@kernel/protocol';
import { needsApproval } from './approval.ts';

/** What keeps the calls of a reply from running, by call id. */
export interface CallClasses {
  /** The calls that need a decision first. */
  readonly needApproval: readonly string[];
  /** The calls of tools that were not on offer, so that nobody could be asked: they never run. */
  readonly notOffered: readonly string[];
}

/**
 * Classifies calls by the tools that were on offer in their turn; `hasApproval` says whether there is anyone to ask. Without, every call runs, but
 * with `isRestricted`, those of tools that were not on offer do not.
 */
export function classifyCalls(
  calls: readonly ToolCall[],
  offered: readonly Tool[],
  hasApproval: boolean,
  isRestricted = false,
): CallClasses {
  if (!hasApproval && !isRestricted) return { needApproval: [], notOffered: [] };
  const tools = new Map(offered.map((tool) => [tool.name, tool]));
  const needApproval: string[] = [];
  const notOffered: string[] = [];
  for (const call of calls) {
    const tool = tools.get(call.name);
    if (tool === undefined) notOffered.push(call.id);
    else if (hasApproval && needsApproval(tool)) needApproval.push(call.id);
  }
  return { needApproval, notOffered };
}
