import {
  checkToolset,
  type CallContext,
  checkFunctions,
  KernelError,
  toErrorResult,
  type Tool,
  type ToolCall,
  type ToolResult,
  type Toolset,
  type TurnContext,
} from '@kernel/protocol';

/** Selects the tools of a turn. Called once per turn, after `beginTurn` of the toolset; for calls resumed before the first turn, with turn 0. */
export type SelectTools = (tools: readonly Tool[], turn: TurnContext) => readonly Tool[] | Promise<readonly Tool[]>;

/**
 * Offers a selection of a toolset's tools, chosen again in each turn. A call to a tool that was not selected gives `TOOL_NOT_FOUND`.
 *
 * `list()` returns the same array as long as the selection is the same, so that encoders and prompt caches can reuse their work.
 */
export function withSelectedTools(tools: Toolset, select: SelectTools): Toolset {
  checkToolset('withSelectedTools', tools);
  checkFunctions('withSelectedTools', { select: select ?? null });
  // Nothing is selected, and so nothing offered, before the first turn.
  let selected = NO_TOOLS;
  const isSelected = (name: string): boolean => selected.some((tool) => tool.name === name);
  const notSelected = (name: string): ToolResult => {
    const names = selected.slice(0, 10).map((tool) => tool.name);
    const error = new KernelError('TOOL_NOT_FOUND', `The tool "${name}" is not on offer in this turn.`, {
      hint: names.length === 0 ? 'There are no tools in this turn.' : `Offered: ${names.join(', ')}.`,
    });
    return toErrorResult(error);
  };
  const validate = tools.validate?.bind(tools);
  return {
    ...tools,
    async beginTurn(turn) {
      await tools.beginTurn?.(turn);
      const next = await select(tools.list(), turn);
      if (next.length !== selected.length || next.some((tool, index) => tool !== selected[index]))
        selected = Object.freeze([...next]);
    },
    list: () => selected,
    call: (call, context) =>
      isSelected(call.name) ? tools.call(call, context) : Promise.resolve(notSelected(call.name)),
    ...(validate !== undefined && {
      validate: (call: ToolCall, context: CallContext) =>
        isSelected(call.name) ? validate(call, context) : Promise.resolve(notSelected(call.name)),
    }),
  };
}

const NO_TOOLS: readonly Tool[] = Object.freeze([]);
