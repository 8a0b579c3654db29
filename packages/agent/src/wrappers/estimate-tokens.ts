import type { MediaPart, Message, ToolCall } from '@kernel/protocol';

/** What an image, a sound or a file counts for: about what vendors ask for one image of middling size. */
const MEDIA_TOKENS = 1000;
/** Role, separators and what else a wire adds to a message. */
const MESSAGE_TOKENS = 4;

const known = new WeakMap<Message, number>();

/**
 * Estimates the tokens of a message without a tokenizer: about four ASCII characters a token, two for other scripts. Within about a
 * third of the truth for prose; meant for deciding when to compact, not for billing. Kept per frozen message.
 */
export function estimateTokens(message: Message): number {
  const kept = known.get(message);
  if (kept !== undefined) return kept;
  const parts = typeof message.content === 'string' ? [message.content] : message.content.map(tokensOfPart);
  let tokens = MESSAGE_TOKENS;
  for (const part of parts) tokens += typeof part === 'string' ? textTokens(part) : part;
  if (Object.isFrozen(message)) known.set(message, tokens);
  return tokens;
}

function tokensOfPart(
  part: ToolCall | MediaPart | { readonly type: 'text' | 'reasoning'; readonly text: string },
): number {
  switch (part.type) {
    case 'tool-call':
      return textTokens(part.name) + textTokens(part.arguments) + MESSAGE_TOKENS;
    case 'text':
    case 'reasoning':
      return textTokens(part.text);
    case 'image':
    case 'audio':
    case 'file':
      return MEDIA_TOKENS;
  }
}

function textTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 127) wide += 1;
  return Math.ceil((text.length - wide) / 4 + wide / 2);
}
