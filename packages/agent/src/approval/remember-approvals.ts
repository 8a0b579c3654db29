import type { ToolCall } from '@kernel/protocol';
import { canonicalArguments } from '../limits/canonical-arguments.ts';
import type { Approve } from './approval.ts';

/** What a remembered `allow` covers: all calls of the tool, calls with the same arguments, or calls for which a function returns the same key. */
export type ApprovalRule = 'tool' | 'arguments' | ((call: ToolCall) => string);

/**
 * Asks once and remembers an `allow` for calls of the same kind. After a denial, an edit or `later`, the next such call is asked about again.
 *
 * The memory lives as long as the returned function: create one per run.
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
