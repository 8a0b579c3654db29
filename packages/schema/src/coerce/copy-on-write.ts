/** Each object and array on the path to a change is copied once. */
export function createCopyOnWrite(original: unknown) {
  const copies = new Set<object>();
  let root = original;

  function copyOf(value: unknown): object | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    if (copies.has(value)) return value;
    const copy: object = Array.isArray(value) ? [...(value as unknown[])] : Object.fromEntries(Object.entries(value));
    copies.add(copy);
    return copy;
  }

  /** Copies the parent and everything on the way to it. */
  function parentOf(keys: readonly string[]): object | undefined {
    let parent = copyOf(root);
    if (parent !== undefined) root = parent;
    for (const key of keys.slice(0, -1)) {
      if (parent === undefined) return undefined;
      const member = own(parent, key);
      const child = copyOf(member);
      if (child !== undefined && child !== member) define(parent, key, child);
      parent = child;
    }
    return parent;
  }

  return {
    value: () => root,
    get: (keys: readonly string[]) => keys.reduce<unknown>((value, key) => own(value, key), root),
    /** A member that exists; the order of keys stays. Without keys, the whole value. */
    set(keys: readonly string[], member: unknown) {
      const last = keys.at(-1);
      if (last === undefined) root = member;
      else {
        const parent = parentOf(keys);
        if (parent !== undefined) define(parent, last, member);
      }
    },
    /** An item of an array stays. */
    remove(keys: readonly string[]) {
      const parent = parentOf(keys);
      if (parent !== undefined && !Array.isArray(parent)) Reflect.deleteProperty(parent, keys.at(-1) ?? '');
    },
  };
}

export type CopyOnWrite = ReturnType<typeof createCopyOnWrite>;

function own(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** Sets an own property, whatever its name: `__proto__` too. */
function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
}
