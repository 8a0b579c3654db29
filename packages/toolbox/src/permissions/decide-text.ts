import type { ToolCall } from '@kernel/protocol';
import { parseInput } from './parse-input.ts';
import type { PermissionDecision, Permissions } from './types.ts';

/** Decides on a call by the text of its arguments. One that cannot be read is asked about, unless it is denied anyway: a tool may read it all the same. */
export function decideText(
  decide: Permissions['decide'],
  { arguments: text, name }: Pick<ToolCall, 'arguments' | 'name'>,
): PermissionDecision {
  const input = parseInput(text);
  const decision = decide(name, input ?? {});
  if (input !== undefined || decision.verdict === 'deny') return decision;
  return { verdict: 'ask', reason: 'Its arguments are not a JSON object, so no rule can tell what it does.' };
}
