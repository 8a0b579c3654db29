import { nearest } from '@kernel/internal';
import type { Tool } from '@kernel/protocol';
import { type OpenTools, openTools } from '../../agent/open-tools.ts';
import type { CommandCall } from '../../command-call.ts';
import { usageError } from '../../usage-error.ts';

/** Opens the tools that the flags choose, hands them to `use`, and closes them. */
export async function withTools<T>(
  call: CommandCall,
  use: (tools: readonly Tool[], open: OpenTools) => T | Promise<T>,
): Promise<T> {
  const open = await openTools(call);
  try {
    await open.toolset.beginTurn?.({ turn: 1, signal: call.signal });
    return await use(open.toolset.list(), open);
  } finally {
    await open.close();
  }
}

/** Returns the tool of a name. Throws a usage error with near names. */
export function toolNamed(name: string, tools: readonly Tool[]): Tool {
  const tool = tools.find((each) => each.name === name);
  if (tool !== undefined) return tool;
  const names = tools.map((each) => each.name);
  const near = nearest(name, names);
  const hint = near.length === 0 ? `There are ${names.join(', ')}.` : `Did you mean ${near.join(' or ')}?`;
  throw usageError(`There is no tool "${name}". ${hint}`);
}
