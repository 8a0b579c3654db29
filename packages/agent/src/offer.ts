import type { Tool, ToolCall } from '@kernel/protocol';
import { abortableWait } from './abort.ts';
import { needsApproval } from './approval.ts';
import type { RunOptions } from './options.ts';

/** Settles what the toolset offers in this turn (`beginTurn`) and returns its list: the same objects, the same array. */
export async function offeredTools(options: RunOptions, turn: number, signal: AbortSignal): Promise<readonly Tool[]> {
  const { tools, conversation } = options;
  if (tools === undefined) return [];
  if (tools.beginTurn !== undefined) {
    const wait = abortableWait(signal);
    try {
      await wait.until(tools.beginTurn({ turn, conversation, signal }));
    } finally {
      wait.leave();
    }
  }
  return tools.list();
}

/** What stands between the calls of a reply and their run, by call id. Both are empty without `approve`. */
export interface Screening {
  /** Must be asked about. */
  readonly ask: readonly string[];
  /** Name a tool that was not on offer, so that nobody could be asked: they never run. */
  readonly unoffered: readonly string[];
  /** A new id; with a call's id it makes the idempotency key. */
  readonly key: string;
}

/** Screens the calls of a turn against the tools that were offered in it. */
export function screen(options: RunOptions, calls: readonly ToolCall[], tools: readonly Tool[]): Screening {
  const key = crypto.randomUUID();
  if (options.approve === undefined) return { ask: [], unoffered: [], key };
  const offered = new Map(tools.map((tool) => [tool.name, tool]));
  const ask: string[] = [];
  const unoffered: string[] = [];
  for (const call of calls) {
    const tool = offered.get(call.name);
    if (tool === undefined) unoffered.push(call.id);
    else if (needsApproval(tool)) ask.push(call.id);
  }
  return { ask, unoffered, key };
}
