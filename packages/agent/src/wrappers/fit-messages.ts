import { sliceHead, sliceTail } from '@kernel/internal';
import type { Message } from '@kernel/protocol';
import { freezeMessage } from '../history/messages.ts';
import { estimateTokens } from '../limits/estimate-tokens.ts';

/** A text is never cut to fewer tokens than this. */
const MIN_TOKENS = 64;

/** What was made of each message, by the tokens that it was cut to. */
const cuts = new WeakMap<Message, Map<number, Message>>();

/** Estimates the tokens of messages. */
export function sizeOf(messages: readonly Message[]): number {
  let size = 0;
  for (const message of messages) size += estimateTokens(message);
  return size;
}

/**
 * Cuts the longest messages until all fit, as far as that is possible: tool results first, then what the user has
 * written. The limit is halved each time, so that the same message is mostly cut in the same way and a cached prefix
 * stays.
 */
export function fitMessages(messages: readonly Message[], maxTokens: number): readonly Message[] {
  let fitted = messages;
  for (const roles of ['tool', 'tool user'])
    for (let tokens = maxTokens / 2; tokens >= MIN_TOKENS && sizeOf(fitted) > maxTokens; tokens /= 2)
      fitted = messages.map((message) => (roles.includes(message.role) ? cutMessage(message, tokens) : message));
  return fitted;
}

/** Cuts a text in its middle, with a line that says so. */
export function cutText(text: string, maxTokens: number): string {
  const size = estimateTokens({ role: 'user', content: text });
  if (size <= maxTokens) return text;
  const half = Math.floor((text.length * maxTokens) / size / 2);
  const left = text.length - 2 * half;
  const note = `[${left} characters were left out here: the whole is too long for the model. Ask for a smaller part if it is needed.]`;
  return `${sliceHead(text, half)}\n${note}\n${sliceTail(text, half)}`;
}

function cutMessage(message: Message, tokens: number): Message {
  if (message.role === 'assistant' || estimateTokens(message) <= tokens) return message;
  const known = cuts.get(message) ?? new Map<number, Message>();
  cuts.set(message, known);
  const made = known.get(tokens);
  if (made !== undefined) return made;
  const { content } = message;
  const cutContent =
    typeof content === 'string'
      ? cutText(content, tokens)
      : content.map((part) => (part.type === 'text' ? { ...part, text: cutText(part.text, tokens) } : part));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same parts with shorter texts
  const cut = freezeMessage({ ...message, content: cutContent } as Message);
  known.set(tokens, cut);
  return cut;
}
