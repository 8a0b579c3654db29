import type { Message, Usage } from '@kernel/protocol';

/** What an image, a recording or a file counts for: about what vendors charge for an image of medium size. */
const MEDIA_TOKENS = 1000;
/** What the role, separators and other parts of the wire format add to a message. */
const MESSAGE_TOKENS = 4;

const cache = new WeakMap<Message, number>();

/**
 * Estimates the tokens of a message without a tokenizer: one for about four ASCII characters or two of other scripts. For prose it is off by
 * about a third at most; use it to decide when to compact, not for billing. Cached per frozen message.
 */
export function estimateTokens(message: Message): number {
  const cached = cache.get(message);
  if (cached !== undefined) return cached;
  let tokens = MESSAGE_TOKENS;
  if (typeof message.content === 'string') tokens += textTokens(message.content);
  else for (const part of message.content) tokens += partTokens(part);
  if (Object.isFrozen(message)) cache.set(message, tokens);
  return tokens;
}

/** Estimates the usage of a reply whose provider reported none: what was sent, and the reply. @internal */
export function estimateUsage(sent: readonly Message[], reply: Message): Usage {
  const inputTokens = sent.reduce((sum, message) => sum + estimateTokens(message), 0);
  return { inputTokens, outputTokens: estimateTokens(reply) };
}

function partTokens(part: Exclude<Message['content'], string>[number]): number {
  switch (part.type) {
    case 'tool-call':
      return textTokens(part.name) + textTokens(part.arguments) + MESSAGE_TOKENS;
    case 'server-tool-call':
      return part.providerData === undefined ? 0 : textTokens(part.name) + textTokens(part.arguments) + MESSAGE_TOKENS;
    case 'server-tool-result':
      return part.providerData === undefined ? 0 : textTokens(JSON.stringify(part.providerData));
    case 'text':
    case 'reasoning':
      return textTokens(part.text);
    case 'opaque':
      return textTokens(JSON.stringify(part.providerData));
    case 'image':
    case 'audio':
    case 'file':
      return MEDIA_TOKENS;
  }
}

function textTokens(text: string): number {
  let nonAscii = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 127) nonAscii += 1;
  return Math.ceil((text.length - nonAscii) / 4 + nonAscii / 2);
}
