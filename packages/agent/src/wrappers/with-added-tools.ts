import {
  KernelError,
  toErrorResult,
  type Tool,
  type ToolCall,
  type ToolResult,
  type Toolset,
  wrapToolset,
} from '@kernel/protocol';

const NO_TOOLS: readonly Tool[] = Object.freeze([]);
const EMPTY: Toolset = {
  list: () => NO_TOOLS,
  prepare: ({ name }) => toErrorResult(new KernelError('TOOL_NOT_FOUND', `No tool "${name}".`)),
};

/** Adds tools to a toolset, or to none: the same inner list gives the same array. `callAdded` runs their calls, which need no approval; it must not reject. */
export function withAddedTools(
  inner: Toolset = EMPTY,
  added: readonly Tool[],
  callAdded: (call: ToolCall) => Promise<ToolResult>,
) {
  const byName = new Map(added.map((tool) => [tool.name, tool]));
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
  const listFor = inner.listFor?.bind(inner);
  const tools = wrapToolset(inner, {
    list: () => extend(inner.list()),
    ...(listFor !== undefined && {
      listFor(turn) {
        const listed = listFor(turn);
        return listed instanceof Promise ? listed.then(extend) : extend(listed);
      },
    }),
    prepare(call, context) {
      const tool = byName.get(call.name);
      if (tool === undefined) return inner.prepare(call, context);
      return { tool, arguments: call.arguments, needsApproval: false, run: () => callAdded(call) };
    },
  });
  return {
    tools,
    /** A list without the added tools: the original list where it is known. */
    without: (list: readonly Tool[]): readonly Tool[] =>
      originals.get(list) ?? list.filter((tool) => !byName.has(tool.name)),
  };
}
