import type { Approve } from '@kernel/protocol';
import { isObject } from '@kernel/internal';
import { fromApprovalId, givenReason } from '../approval/approval-id.ts';
import { decisionsFrom } from '../approval/decisions.ts';

/**
 * Turns the answers in the messages of `useChat` (`addToolApprovalResponse`) into the `approve` function of the continued run: those of the last
 * message, if it is the assistant's. Nothing else of the messages is read: the history is the server's own. See `decisionsFrom`.
 */
export function decisionsFromUiMessages(messages: unknown, otherwise?: Approve): Approve {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const parts: unknown = isObject(last) && last['role'] === 'assistant' ? last['parts'] : undefined;
  const decisions = (Array.isArray(parts) ? parts : []).flatMap((part: unknown) => {
    if (!isObject(part) || part['state'] !== 'approval-responded' || !isObject(part['approval'])) return [];
    const { id, approved, reason, isAutomatic } = part['approval'];
    if (isAutomatic === true) return [];
    return [{ ...fromApprovalId(id), decision: approved === true ? 'allow' : 'deny', reason: givenReason(reason) }];
  });
  return decisionsFrom(decisions, otherwise);
}
