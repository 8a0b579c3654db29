/**
 * Returns an id for each call of one reply: the vendor's if it is not empty and no earlier call has it, else a generated one. The same calls
 * always get the same ids. Whether an id is unique within a conversation is not decided here.
 */
export function uniqueCallIds(calls: readonly { readonly id: string }[]): readonly string[] {
  if (calls.length === 0) return [];
  const used = new Set<string>();
  // Vendor ids go first: a generated one must not take the id of a later call.
  const kept = calls.map(({ id }) => {
    if (id === '' || used.has(id)) return undefined;
    used.add(id);
    return id;
  });
  let next = 1;
  return kept.map((id) => {
    if (id !== undefined) return id;
    while (used.has(`call_${next}`)) next += 1;
    const generated = `call_${next}`;
    used.add(generated);
    return generated;
  });
}
