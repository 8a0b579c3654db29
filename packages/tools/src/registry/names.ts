import { KernelError, type ToolResult, toErrorResult } from '@kernel/protocol';
import { clip } from '../arguments/messages.ts';
import { nearest } from '../name-suggestions.ts';

/** The answer to a call of a tool that is not offered: its name, near ones, or all where there are few. Nothing runs. */
export function unknownTool(given: string, known: readonly string[]): ToolResult {
  const name = typeof given === 'string' ? given : '<unnamed>'; // a wire may have let anything through
  const near = nearest(name, known);
  const shown = clip(name, 64);
  const offered = known.length <= 8 ? known : near;
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((other) => `"${other}"`).join(' or ')}?`
      : offered.length > 0
        ? `The tools are ${offered.map((other) => `"${other}"`).join(', ')}.`
        : 'No tool is offered.';
  return toErrorResult(
    new KernelError('TOOL_NOT_FOUND', `no tool named "${shown}".`, { hint, data: { name: shown, near: [...near] } }),
  );
}
