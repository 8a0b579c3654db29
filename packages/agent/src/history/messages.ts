import {
  type AssistantMessage,
  type Message,
  toModelText,
  type ToolCall,
  toolCallsOf,
  type ToolMessage,
  type ToolResult,
} from '@kernel/protocol';

/** Returns a frozen message: the same object if it is frozen already, else a frozen copy. Encoders cache by its identity. */
export function freezeMessage<M extends Message>(message: M): M {
  if (Object.isFrozen(message)) return message;
  const copy: { -readonly [K in keyof M]: M[K] } = { ...message };
  if (typeof copy.content === 'object')
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- a copy of the same content
    copy.content = Object.freeze(copy.content.map((part) => Object.freeze({ ...part }))) as M['content'];
  return Object.freeze(copy);
}

/** Returns the message that answers a call: the model's text of its result, a note below it, media where there are some. */
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

/** Returns a history with exactly one system prompt: `system` in the place of those in `messages`, or theirs where it is absent. */
export function withSystem(messages: readonly Message[], system: string | undefined): readonly Message[] {
  if (system === undefined || system === '') return messages;
  return [{ role: 'system', content: system }, ...messages.filter((message) => message.role !== 'system')];
}

/** Returns the calls at the end of a history that have no result yet: those of a run that ended with `approval`, or crashed. */
export function pendingCalls(messages: readonly Message[]): readonly ToolCall[] {
  const answered = new Set<string>();
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role === 'tool') answered.add(message.toolCallId);
    else if (message?.role === 'assistant') return toolCallsOf(message).filter((call) => !answered.has(call.id));
    else return [];
  }
  return [];
}

/** Returns `message` with every call under an id that is not empty and not in `used`; `makeId` gives the new ones. */
export function withUnusedIds(
  message: AssistantMessage,
  used: ReadonlySet<string>,
  makeId: () => string,
): AssistantMessage {
  const seen = new Set<string>();
  let changed = false;
  const content = message.content.map((part) => {
    if (part.type !== 'tool-call') return part;
    const id = part.id === '' || used.has(part.id) || seen.has(part.id) ? makeId() : part.id;
    seen.add(id);
    if (id === part.id) return part;
    changed = true;
    return { ...part, id };
  });
  return changed ? { ...message, content } : message;
}
