import type { ToolCall } from '@kernel/protocol';
import type { Approve } from './approval.ts';
import { canonicalArguments } from '../limits/canonical-arguments.ts';

/** What a remembered `allow` covers: the whole tool, the tool with these arguments, or what a function makes of a call. */
export type ApprovalRule = 'tool' | 'arguments' | ((call: ToolCall) => string);

/**
 * Asks once and remembers an `allow` for calls of the same kind. Denials, edits and `later` are asked again.
 *
 * The memory lives as long as the returned function: make one a run.
 */
export function rememberApprovals(approve: Approve, rule: ApprovalRule = 'arguments'): Approve {
  const allowed = new Set<string>();
  const keyOf = (call: ToolCall): string => {
    if (typeof rule === 'function') return rule(call);
    return rule === 'tool' ? call.name : JSON.stringify([call.name, canonicalArguments(call.arguments)]);
  };
  return async (request) => {
    const key = keyOf(request.call);
    if (allowed.has(key)) return { decision: 'allow' };
    const answer = await approve(request);
    if (answer.decision === 'allow') allowed.add(key);
    return answer;
  };
}
