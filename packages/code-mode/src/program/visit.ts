import type { AnyNode } from 'acorn';

/**
 * Calls back for each node of a tree, parents first; what is in a node for which the callback returns false is left
 * out. Without recursion: a program can be nested deeper than the stack.
 */
export function visit(tree: AnyNode | readonly AnyNode[], callback: (node: AnyNode) => boolean | void): void {
  const left: unknown[] = [tree];
  while (left.length > 0) {
    const next = left.pop();
    if (Array.isArray(next)) left.push(...next);
    else if (isNode(next)) {
      if (callback(next) === false) continue;
      for (const value of Object.values(next) as unknown[])
        if (typeof value === 'object' && value !== null) left.push(value);
    }
  }
}

export function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
