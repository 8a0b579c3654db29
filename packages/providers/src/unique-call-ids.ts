import type { Message } from '@kernel/protocol';

/**
 * Returns an id for each call: the vendor's where it is not empty and unused in the history and the reply, else a made one, which is
 * the same for the same reply.
 */
export function uniqueCallIds(
  calls: readonly { readonly id: string }[],
  history: readonly Message[],
): readonly string[] {
  const given = new Set(calls.map(({ id }) => id));
  // The usual case costs no table of all ids.
  if (given.size === calls.length && !given.has('') && !hasCall(history, given)) return [...given];
  return withMadeIds(calls, callIdsOf(history));
}

function withMadeIds(calls: readonly { readonly id: string }[], used: ReadonlySet<string>): readonly string[] {
  const given = new Set<string>();
  // Ids that the vendor gave go first: a made one must not take the place of a later real one.
  const kept = calls.map(({ id }) => {
    const keep = id !== '' && !used.has(id) && !given.has(id);
    if (keep) given.add(id);
    return keep ? id : undefined;
  });
  let next = used.size + 1;
  return kept.map((id) => {
    if (id !== undefined) return id;
    while (used.has(`call_${next}`) || given.has(`call_${next}`)) next += 1;
    const made = `call_${next}`;
    given.add(made);
    return made;
  });
}

function hasCall(history: readonly Message[], ids: ReadonlySet<string>): boolean {
  for (const message of history) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-call' && ids.has(part.id)) return true;
  }
  return false;
}

function callIdsOf(messages: readonly Message[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-call') ids.add(part.id);
  }
  return ids;
}
