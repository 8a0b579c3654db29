import { KernelError, type Tool, toErrorResult, type Toolset, type TurnContext } from '@kernel/protocol';

/** Chooses the tools of a turn. Called once a turn, after the toolset's own `beginTurn`; without a turn, for turn 0. */
export type SelectTools = (tools: readonly Tool[], turn: TurnContext) => readonly Tool[] | Promise<readonly Tool[]>;

/**
 * Offers a choice of a toolset's tools, made anew each turn. A call to a tool that was not chosen gives `TOOL_NOT_FOUND`.
 *
 * The list keeps its identity as long as the choice is the same, so that encoders and prompt caches keep what they have.
 */
export function withSelectedTools(tools: Toolset, select: SelectTools): Toolset {
  let chosen: readonly Tool[] | undefined;
  return {
    ...tools,
    async beginTurn(turn) {
      await tools.beginTurn?.(turn);
      const next = await select(tools.list(), turn);
      if (chosen === undefined || next.length !== chosen.length || next.some((tool, index) => tool !== chosen?.[index]))
        chosen = Object.freeze([...next]);
    },
    // Before the first turn nothing is chosen, so nothing is on offer.
    list: () => chosen ?? NONE,
    call(call, context) {
      if (chosen?.some((tool) => tool.name === call.name) === true) return tools.call(call, context);
      const names = (chosen ?? NONE).slice(0, 10).map((tool) => tool.name);
      const error = new KernelError('TOOL_NOT_FOUND', `The tool "${call.name}" is not on offer in this turn.`, {
        hint: names.length === 0 ? 'There are no tools in this turn.' : `Offered: ${names.join(', ')}.`,
      });
      return Promise.resolve(toErrorResult(error));
    },
  };
}

const NONE: readonly Tool[] = Object.freeze([]);
