import type { AssistantMessage, Message, UserMessage } from '@kernel/protocol';
import type { VendorLimits } from '../vendor-rules/rules.ts';

// The same objects each time: encoders keep what they made of a message.
const READ: AssistantMessage = Object.freeze({
  role: 'assistant',
  content: Object.freeze([Object.freeze({ type: 'text', text: 'I have read the results.' } as const)]),
});
/** What a user says where a vendor demands a message of the user. */
export const CONTINUE: UserMessage = Object.freeze({ role: 'user', content: 'Continue.' });

/** Adds the messages without which a vendor refuses the order of a history. A history that needs none stays the same list. */
export function inOrder(history: readonly Message[], { afterResults, lastReply }: VendorLimits): readonly Message[] {
  if (afterResults === undefined && lastReply === undefined) return history;
  const ordered = history.flatMap((message, at): readonly Message[] =>
    afterResults !== undefined && message.role === 'user' && history[at - 1]?.role === 'tool'
      ? [READ, message]
      : [message],
  );
  if (lastReply !== undefined && ordered.at(-1)?.role === 'assistant') ordered.push(CONTINUE);
  return ordered;
}
