const last = new WeakMap<object, Promise<unknown>>();

/** Runs one thing after the other for the same owner, within this process. */
export function inTurn<T>(owner: object, work: () => Promise<T>): Promise<T> {
  const next = (last.get(owner) ?? Promise.resolve()).then(work, work);
  last.set(
    owner,
    next.catch(() => {}),
  );
  return next;
}
