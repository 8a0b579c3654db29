import { type EntryStore, isOffered, isUsable } from './entries.ts';
import type { ToolRegistry } from './types.ts';

export type Queries = Pick<
  ToolRegistry,
  'list' | 'has' | 'get' | 'names' | 'summaries' | 'listByCategory' | 'listByOptionality' | 'hiddenTools'
>;

export function createQueries(store: EntryStore): Queries {
  return {
    list: () => store.list(),
    has(name) {
      const entry = store.entries.get(name);
      return entry !== undefined && isOffered(entry, store.conditionResults());
    },
    get(name, options) {
      const entry = store.entries.get(name);
      if (entry === undefined) return undefined;
      const isVisible = !entry.hidden || entry.promotion !== undefined || options?.includeHidden === true;
      return isVisible ? entry.binding : undefined;
    },
    names: () => store.list().map((tool) => tool.name),
    summaries: () => store.list().map((tool) => `- \`${tool.name}\` - ${tool.description}`),
    listByCategory: (category) => store.list().filter((tool) => tool.metadata?.category === category),
    listByOptionality: (optionality) =>
      store.list().filter((tool) => (tool.metadata?.optionality ?? 'optional') === optionality),
    hiddenTools() {
      const hidden = [...store.entries.values()].filter((entry) => entry.hidden && entry.promotion === undefined);
      return hidden.filter((entry) => isUsable(entry, store.conditionResults())).map((entry) => entry.binding.tool);
    },
  };
}
