import { parseJson, isObject } from '@kernel/internal';
import type { ToolCall } from '@kernel/protocol';
import type { PermissionResult, Permissions } from './types.ts';

/**
 * Decides on a call by the text of its arguments. Text that cannot be parsed leads to a question, unless it is denied anyway: a tool may be able to
 * parse it.
 */
export function decideText(
  decide: Permissions['decide'],
  { arguments: text, name }: Pick<ToolCall, 'arguments' | 'name'>,
): PermissionResult {
  const input = parseInput(text);
  const decision = decide(name, input ?? {});
  if (input !== undefined || decision.verdict === 'deny') return decision;
  return { verdict: 'ask', reason: 'Its arguments are not a JSON object, so no rule can tell what it does.' };
}

export function describeRefusal({ verdict, reason, suggestion }: PermissionResult): string {
  if (verdict === 'deny') return reason;
  const hint = suggestion === undefined ? '' : ` The rule ${JSON.stringify(suggestion)} would allow it.`;
  return `${reason} It needs approval, and nobody can be asked.${hint}`;
}

/** Returns the arguments of a call as an object; undefined for text that is not one. Empty text counts as an empty object. */
export function parseInput(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = text.trim() === '' ? {} : parseJson(text);
  return isObject(value) ? value : undefined;
}
