import { isObject } from '@kernel/internal';
import type { Message } from '@kernel/protocol';

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

/**
 * Returns a value from outside as a message of which every field that a history reads has its type; undefined if it has no known role or no
 * content. A sound message comes back as the same object.
 *
 * Content of `null` is empty content. Parts that cannot be read, such as a call without an id, are left out; a result without the id of its
 * call gets an empty one, so that it belongs to no call.
 */
export function readMessage(value: unknown): Message | undefined {
  if (!isObject(value) || !ROLES.has(value['role']) || !('content' in value)) return undefined;
  const { role, content, toolCallId, name } = value;
  const read = readContent(role, content);
  const isSound = read === content && (role !== 'tool' || (typeof toolCallId === 'string' && typeof name === 'string'));
  const fields = {
    ...value,
    content: read,
    ...(role === 'tool' && {
      toolCallId: typeof toolCallId === 'string' ? toolCallId : '',
      name: typeof name === 'string' ? name : '',
    }),
  };
  const message: unknown = isSound ? value : fields;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked above
  return message as Message;
}

function readContent(role: unknown, content: unknown): unknown {
  if (typeof content === 'string') return role === 'assistant' ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(content)) return role === 'assistant' ? [] : '';
  if (role === 'system')
    return content
      .map((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
      .join('');
  return content.every(isSoundPart) ? content : content.filter(isSoundPart);
}

function isSoundPart(part: unknown): boolean {
  if (!isObject(part)) return false;
  const { type, text, id, name } = part;
  switch (type) {
    case 'text':
    case 'reasoning':
      return typeof text === 'string';
    case 'tool-call':
      return typeof id === 'string' && typeof name === 'string' && typeof part['arguments'] === 'string';
    default:
      return typeof type === 'string';
  }
}
