import { wellFormed } from '@kernel/internal';
import { type Message, toModelText, type ToolCall, type ToolMessage, type ToolResult } from '@kernel/protocol';

/** The messages that are known to be well-formed. */
const known = new WeakSet<Message>();

/**
 * Returns a frozen message whose text is well-formed Unicode: the same object if it is that already, else a frozen copy. Encoders cache by its identity. Every
 * message that enters a history comes from here.
 */
export function freezeMessage<M extends Message>(message: M): M {
  if (known.has(message)) return message;
  const sound = wellFormed(message);
  const frozen = Object.isFrozen(sound) ? sound : frozenCopy(sound);
  known.add(frozen);
  return frozen;
}

function frozenCopy<M extends Message>(message: M): M {
  const copy: { -readonly [K in keyof M]: M[K] } = { ...message };
  if (typeof copy.content === 'object')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy of the same content
    copy.content = Object.freeze(copy.content.map((part) => Object.freeze({ ...part }))) as M['content'];
  return Object.freeze(copy);
}

/** Returns the message that answers a call: the model's text of its result, a note below it, then the media. */
export function toToolMessage(call: ToolCall, result: ToolResult, note?: string): ToolMessage {
  const text = note === undefined ? toModelText(result) : `${toModelText(result)}\n${note}`;
  const content = result.media?.length ? [{ type: 'text' as const, text }, ...result.media] : text;
  return freezeMessage({
    role: 'tool',
    toolCallId: call.id,
    name: call.name,
    content,
    ...(result.isError === true ? { isError: true } : {}),
  });
}

/** Returns the messages with `system` as the only system prompt; unchanged if `system` is absent or empty. */
export function withSystem(messages: readonly Message[], system: string | undefined): readonly Message[] {
  if (system === undefined || system === '') return messages;
  return [{ role: 'system', content: system }, ...messages.filter((message) => message.role !== 'system')];
}
