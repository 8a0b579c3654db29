import {
  type AssistantMessage,
  type Message,
  type SystemMessage,
  toolCallsOf,
  type UserMessage,
} from '@kernel/protocol';
import type { VendorLimits } from '../vendor-rules/rules.ts';
import { unknownRoleError } from './check-request.ts';

// The same objects each time: encoders keep what they made of a message.
const READ: AssistantMessage = Object.freeze({
  role: 'assistant',
  content: Object.freeze([Object.freeze({ type: 'text', text: 'I have read the results.' } as const)]),
});
/** What a user says where a vendor demands a message of the user. */
const CONTINUE: UserMessage = Object.freeze({ role: 'user', content: 'Continue.' });

type Role = 'user' | 'assistant';

export interface EncodedMessage {
  /** Tool results belong to the user. */
  readonly role: Role;
  /** JSON texts; never empty. */
  readonly blocks: readonly string[];
}

/** All results of a turn, in call order, and what the user adds become one user message. A message without blocks is left out, and its neighbours merge. */
export function alternateRoles(history: readonly Message[], encode: (message: Message) => readonly string[]) {
  const system: string[] = [];
  const groups: { role: Role; messages: Message[] }[] = [];
  for (const message of history) {
    if (message.role === 'system') {
      if (message.content !== '') system.push(message.content);
      continue;
    }
    const role = roleOf(message);
    const last = groups.at(-1);
    if (last?.role === role) last.messages.push(message);
    else groups.push({ role, messages: [message] });
  }
  const encoded: { role: Role; blocks: string[] }[] = [];
  for (const [at, { messages, role }] of groups.entries()) {
    const sorted = role === 'user' ? sortResults(messages, groups[at - 1]?.messages ?? []) : messages;
    const blocks = sorted.flatMap(encode);
    const last = encoded.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else if (blocks.length > 0) encoded.push({ role, blocks });
  }
  // A conversation may have been cut before a reply: these APIs refuse one that the user doesn't begin.
  if (encoded[0]?.role === 'assistant') encoded.unshift({ role: 'user', blocks: [...encode(CONTINUE)] });
  return { system, messages: encoded };
}

/**
 * Whether a turn goes on after calls that were made without a thought: a Claude with a budget for thinking refuses that
 * while it thinks.
 */
export function lacksThought(messages: readonly EncodedMessage[], isResult: RegExp, isThought: RegExp): boolean {
  const [reply, results] = messages.slice(-2);
  const isOpen = results?.role === 'user' && isResult.test(results.blocks[0] ?? '');
  return isOpen && !isThought.test(reply?.blocks[0] ?? '');
}

/** Puts tool results first, in the order of the calls before them. */
function sortResults(messages: readonly Message[], before: readonly Message[]): readonly Message[] {
  if (!messages.some((message) => message.role === 'tool')) return messages;
  const ids = before.flatMap((message) => toolCallsOf(message).map((call) => call.id));
  const order = new Map(ids.map((id, at) => [id, at]));
  const rank = (message: Message): number =>
    message.role === 'tool' ? (order.get(message.toolCallId) ?? ids.length) : ids.length + 1;
  return messages.toSorted((a, b) => rank(a) - rank(b));
}

function roleOf(message: Exclude<Message, SystemMessage>): Role {
  switch (message.role) {
    case 'assistant':
      return 'assistant';
    case 'user':
    case 'tool':
      return 'user';
    default:
      throw unknownRoleError(message);
  }
}

/**
 * Adds the messages without which a vendor refuses the order of a history. A history that needs none stays the same
 * list.
 */
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
