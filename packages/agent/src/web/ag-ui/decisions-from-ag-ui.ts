import type { Approve } from '@kernel/protocol';
import { isObject } from '@kernel/internal';
import { fromApprovalId, givenReason } from '../approval/approval-id.ts';
import { decisionsFrom } from '../approval/decisions.ts';

/**
 * Turns the `resume` of an AG-UI `RunAgentInput` into the `approve` function of the continued run. An interrupt that was cancelled, or resolved
 * without `approved: true`, denies. See `decisionsFrom`.
 */
export function decisionsFromAgUi(resume: unknown, otherwise?: Approve): Approve {
  const decisions = (Array.isArray(resume) ? resume : []).map((entry: unknown) => {
    if (!isObject(entry)) return entry;
    const payload = isObject(entry['payload']) ? entry['payload'] : {};
    const isAllowed = entry['status'] === 'resolved' && payload['approved'] === true;
    const reason = givenReason(payload['reason']);
    return { ...fromApprovalId(entry['interruptId']), decision: isAllowed ? 'allow' : 'deny', reason };
  });
  return decisionsFrom(decisions, otherwise);
}
