import type { Message } from '@kernel/protocol';

/**
 * Returns an id for each call: the vendor's where it is not empty and unused in the history and the reply, else a made one, which is
 * the same for the same reply. `callIds` are the ids of the history where they are known; else they are gathered.
 */
export function uniqueCallIds(
  calls: readonly { readonly id: string }[],
  history: readonly Message[],
  callIds?: ReadonlySet<string>,
): readonly string[] {
  if (calls.length === 0) return [];
  const used = callIds ?? callIdsOf(history);
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

function callIdsOf(messages: readonly Message[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-call') ids.add(part.id);
  }
  return ids;
}
