import {
  checkToolset,
  type CallContext,
  checkFunctions,
  KernelError,
  toErrorResult,
  type Tool,
  type ToolResult,
  type Toolset,
  type TurnContext,
  wrapToolset,
} from '@kernel/protocol';

/** Selects the tools of a turn. Called once per turn, with the tools of the toolset in it; for calls resumed before the first turn, with turn 0. */
export type SelectTools<Context = unknown> = (
  tools: readonly Tool[],
  turn: TurnContext<Context>,
) => readonly Tool[] | Promise<readonly Tool[]>;

/**
 * Offers a selection of a toolset's tools, chosen again in each turn. A call to a tool that was not selected gives `TOOL_NOT_FOUND`.
 *
 * `list()` returns the same array as long as the selection is the same, so that encoders and prompt caches can reuse their work.
 */
export function withSelectedTools<Context = unknown>(
  tools: Toolset<Context>,
  select: SelectTools<Context>,
): Toolset<Context> {
  checkToolset('withSelectedTools', tools);
  checkFunctions('withSelectedTools', { select: select ?? null });
  // Nothing is selected, and so nothing offered, before the first turn.
  let last = NO_TOOLS;
  const selections = new WeakMap<TurnContext<Context>, readonly Tool[]>();
  const selectedIn = ({ turn }: CallContext<Context>): readonly Tool[] =>
    (turn === undefined ? undefined : selections.get(turn)) ?? last;
  const isSelected = (name: string, context: CallContext<Context>): boolean =>
    selectedIn(context).some((tool) => tool.name === name);
  const notSelected = (name: string, context: CallContext<Context>): ToolResult => {
    const names = selectedIn(context)
      .slice(0, 10)
      .map((tool) => tool.name);
    const error = new KernelError('TOOL_NOT_FOUND', `The tool "${name}" is not on offer in this turn.`, {
      hint: names.length === 0 ? 'There are no tools in this turn.' : `Offered: ${names.join(', ')}.`,
    });
    return toErrorResult(error);
  };
  const unique = createUniqueLists();
  const choose = async (offered: readonly Tool[], turn: TurnContext<Context>): Promise<readonly Tool[]> => {
    last = unique(await select(offered, turn));
    selections.set(turn, last);
    return last;
  };
  return wrapToolset(tools, {
    async listFor(turn) {
      return choose((await tools.listFor?.(turn)) ?? tools.list(), turn);
    },
    list: () => last,
    prepare: (call, context) =>
      isSelected(call.name, context) ? tools.prepare(call, context) : notSelected(call.name, context),
  });
}

const NO_TOOLS: readonly Tool[] = Object.freeze([]);
/** How many different selections are remembered. */
const MAX_LISTS = 64;

/** Returns what gives the same frozen array again for the same tools. */
function createUniqueLists(): (tools: readonly Tool[]) => readonly Tool[] {
  const lists = [NO_TOOLS];
  return (tools) => {
    const isSame = (list: readonly Tool[]): boolean =>
      list.length === tools.length && list.every((tool, index) => tool === tools[index]);
    const known = lists.find(isSame);
    if (known !== undefined) return known;
    const list = Object.freeze([...tools]);
    if (lists.unshift(list) > MAX_LISTS) lists.pop();
    return list;
  };
}
