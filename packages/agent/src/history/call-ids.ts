import { type AssistantMessage, type Message, toolCallsOf } from '@kernel/protocol';

/** Whether an id is none that a provider may give: it is empty, or has what separates the ids of calls, steps and answers from each other. */
export function isUnusableId(id: string): boolean {
  return id === '' || /[/#\s\p{Cc}]/u.test(id);
}

/** Returns the ids of all calls in a history. */
export function callIdsOf(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>();
  for (const message of messages) for (const { id } of toolCallsOf(message)) ids.add(id);
  return ids;
}

/**
 * Returns `message` with call ids that are unique in a history: the given id if it is usable, not in `used` and the first of its kind
 * in the message, else `call_<n>`, counted on from the number of used ids. The same input gives the same ids.
 *
 * Returns the same object if no id had to change.
 */
export function withUniqueCallIds(message: AssistantMessage, used: ReadonlySet<string>): AssistantMessage {
  const calls = toolCallsOf(message);
  if (calls.length === 0) return message;
  const kept = new Set<string>();
  const isKept = calls.map(({ id }) => {
    if (isUnusableId(id) || used.has(id) || kept.has(id)) return false;
    kept.add(id);
    return true;
  });
  if (kept.size === calls.length) return message;
  let next = used.size;
  let index = -1;
  const content = message.content.map((part) => {
    if (part.type !== 'tool-call') return part;
    index += 1;
    if (isKept[index] === true) return part;
    do next += 1;
    while (used.has(`call_${next}`) || kept.has(`call_${next}`));
    return { ...part, id: `call_${next}` };
  });
  return { ...message, content };
}
