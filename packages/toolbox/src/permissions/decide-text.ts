import type { ToolCall } from '@kernel/protocol';
import { parseInput } from './parse-input.ts';
import type { PermissionDecision, Permissions } from './types.ts';

/**
 * Decides on a call by the text of its arguments. Text that cannot be parsed leads to a question, unless it is denied anyway: a tool may be able to
 * parse it.
 */
export function decideText(
  decide: Permissions['decide'],
  { arguments: text, name }: Pick<ToolCall, 'arguments' | 'name'>,
): PermissionDecision {
  const input = parseInput(text);
  const decision = decide(name, input ?? {});
  if (input !== undefined || decision.verdict === 'deny') return decision;
  return { verdict: 'ask', reason: 'Its arguments are not a JSON object, so no rule can tell what it does.' };
}
