import type { Tool } from '@kernel/protocol';
import type { ToolCondition } from '../tool/binding.ts';
import type { ConditionResults } from './conditions.ts';

const MAX_LISTS = 64;
/** How many lists from before a change are remembered, so that one that comes back is the same array. */
const MAX_EARLIER = 16;

/** Creates the lists of a store, given its conditions and what it offers while some of them hold. */
export function createOfferedLists(
  conditionsOf: () => readonly ToolCondition<never>[],
  toolsFor: (results: ConditionResults) => readonly Tool[],
) {
  const lists = new Map<string, readonly Tool[]>();
  let earlier: readonly (readonly Tool[])[] = [];
  let conditions: readonly ToolCondition<never>[] | undefined;

  const forget = (): void => {
    earlier = [...new Set([...lists.values(), ...earlier])].slice(0, MAX_EARLIER);
    lists.clear();
  };
  const build = (results: ConditionResults): readonly Tool[] => {
    const tools = toolsFor(results);
    const isSame = (list: readonly Tool[]): boolean => isSameList(list, tools);
    return [...lists.values()].find(isSame) ?? earlier.find(isSame) ?? Object.freeze(tools);
  };
  return {
    /** Returns the list for some results: the same frozen array as long as the tools in it are the same. */
    listFor(results: ConditionResults): readonly Tool[] {
      conditions ??= conditionsOf();
      const key = conditions.map((condition) => (results.get(condition) === true ? '1' : '0')).join('');
      const known = lists.get(key);
      if (known !== undefined) return known;
      const list = build(results);
      if (lists.size >= MAX_LISTS) forget();
      lists.set(key, list);
      return list;
    },
    /** Has the lists built anew when they are next asked for: what is offered may have changed. */
    invalidate(): void {
      conditions = undefined;
      forget();
    },
  };
}

export function isSameList(a: readonly Tool[], b: readonly Tool[]): boolean {
  return a.length === b.length && a.every((tool, index) => tool === b[index]);
}
