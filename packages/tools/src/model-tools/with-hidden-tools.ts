import {
  isToolResult,
  type PreparedCall,
  type Tool,
  type ToolResult,
  type Toolset,
  wrapToolset,
} from '@kernel/protocol';
import type { ToolRegistry } from '../registry/types.ts';

const SEARCH_TOOLS: readonly string[] = ['find_tools', 'find_tools_by_pattern'];

/**
 * Offers the hidden tools of a registry too, for a provider whose vendor lets the model search for tools by itself, with `toolSearch` among its
 * `serverTools`. The tools of `exclude`, by default `find_tools` and `find_tools_by_pattern`, are not offered. A call of a hidden tool promotes it when it runs, as
 * `find_tools` would.
 *
 * The same lists of the registry give the same array.
 */
export function withHiddenTools(registry: ToolRegistry, exclude: Iterable<string> = SEARCH_TOOLS): Toolset {
  const excluded = new Set(exclude);
  const joined = new WeakMap<readonly Tool[], readonly Tool[]>();
  const withHidden = (listed: readonly Tool[]): readonly Tool[] => {
    const names = new Set(listed.map((tool) => tool.name));
    const hidden = registry.hiddenTools().filter((tool) => !names.has(tool.name));
    const tools = [...listed.filter((tool) => !excluded.has(tool.name)), ...hidden];
    const known = joined.get(listed);
    if (known?.length === tools.length && known.every((tool, at) => tool === tools[at])) return known;
    const list = Object.freeze(tools);
    joined.set(listed, list);
    return list;
  };
  const isHidden = (name: string): boolean => registry.hiddenTools().some((tool) => tool.name === name);
  return wrapToolset(registry, {
    list: () => withHidden(registry.list()),
    listFor(turn) {
      const offered = registry.listFor(turn);
      return offered instanceof Promise ? offered.then(withHidden) : withHidden(offered);
    },
    prepare(call, context) {
      if (!isHidden(call.name)) return registry.prepare(call, context);
      const promoting = (prepared: PreparedCall | ToolResult): PreparedCall | ToolResult =>
        isToolResult(prepared)
          ? prepared
          : {
              ...prepared,
              run(running) {
                if (isHidden(call.name)) registry.promote([call.name]);
                return prepared.run(running);
              },
            };
      const prepared = registry.prepareHidden(call, context);
      return prepared instanceof Promise ? prepared.then(promoting) : promoting(prepared);
    },
  });
}
