/**
 * Returns an id for each call: the vendor's where it is not empty and unused in the history and the reply, else a made one, which is
 * the same for the same reply.
 */
export function uniqueCallIds(
  calls: readonly { readonly id: string }[],
  usedIds: () => ReadonlySet<string>,
): readonly string[] {
  if (calls.length === 0) return [];
  const used = usedIds();
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
