import type { Tool, ToolOptionality } from '@kernel/protocol';
import type { ToolBinding } from '../tool/binding.ts';
import { type Store, isOffered, isUsable } from './entries.ts';

/** The ways to look at a registry's tools. All agree with `list()`. */
export interface Lists {
  /** How many tools `list()` has. */
  readonly size: number;
  /** The tools on offer: the same frozen array until a change. */
  list(): readonly Tool[];
  /** Whether `list()` has a tool of this name. */
  has(name: string): boolean;
  /** The binding under a name, disabled ones too; hidden ones only while promoted or when asked for. */
  get(name: string, options?: { readonly includeHidden?: boolean | undefined }): ToolBinding | undefined;
  /** The names in list order. */
  names(): readonly string[];
  /** One line per tool in list order: `` - `name` - description ``. */
  summaries(): readonly string[];
  listByCategory(category: string): readonly Tool[];
  /** A tool without metadata counts as `optional`. */
  listByOptionality(optionality: ToolOptionality): readonly Tool[];
  /** The tools that are registered but hidden: enabled, not promoted, nothing missing, its condition true. */
  hiddenTools(): readonly Tool[];
}

/** Creates the lists over a store. */
export function createLists(store: Store): Lists {
  const isShown = (name: string): boolean => {
    const entry = store.entries.get(name);
    return entry !== undefined && isOffered(entry);
  };
  return {
    get size() {
      return store.list().length;
    },
    list: () => store.list(),
    has: isShown,
    get(name, options) {
      const entry = store.entries.get(name);
      if (entry === undefined) return undefined;
      const visible = !entry.hidden || entry.promotion !== undefined || options?.includeHidden === true;
      return visible ? entry.binding : undefined;
    },
    names: () => store.list().map((tool) => tool.name),
    summaries: () => store.list().map((tool) => `- \`${tool.name}\` - ${tool.description}`),
    listByCategory: (category) => store.list().filter((tool) => tool.metadata?.category === category),
    listByOptionality: (optionality) =>
      store.list().filter((tool) => (tool.metadata?.optionality ?? 'optional') === optionality),
    hiddenTools() {
      const hidden = [...store.entries.values()].filter((entry) => entry.hidden && entry.promotion === undefined);
      return hidden.filter(isUsable).map((entry) => entry.binding.tool);
    },
  };
}
