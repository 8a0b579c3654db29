import type { Tool, Toolset } from '@kernel/protocol';

/** The lists of a toolset with tools added at the end. */
export interface AddedTools extends Pick<Toolset, 'list' | 'beginTurn'> {
  /** Returns the inner list that a list was made of, or what is left of it without the added tools. */
  without(this: void, tools: readonly Tool[]): readonly Tool[];
}

const NO_TOOLS: readonly Tool[] = Object.freeze([]);

/** Adds tools at the end of a toolset's list, and of those of its turns. The same inner list gives the same array. */
export function withAddedTools(inner: Toolset | undefined, added: readonly Tool[]): AddedTools {
  const extended = new WeakMap<readonly Tool[], readonly Tool[]>();
  const originals = new WeakMap<readonly Tool[], readonly Tool[]>();
  const extend = (tools: readonly Tool[]): readonly Tool[] => {
    const known = extended.get(tools);
    if (known !== undefined) return known;
    const list = Object.freeze([...tools, ...added]);
    extended.set(tools, list);
    originals.set(list, tools);
    return list;
  };
  return {
    list: () => extend(inner?.list() ?? NO_TOOLS),
    ...(inner?.beginTurn !== undefined && {
      async beginTurn(turn) {
        const offered = await inner.beginTurn?.(turn);
        return offered === undefined ? undefined : extend(offered);
      },
    }),
    without: (tools) => originals.get(tools) ?? tools.filter((tool) => !added.includes(tool)),
  };
}
