import { onAbort, errorMessage } from '@kernel/internal';
import type { Conversation, Tool, Toolset, TurnContext } from '@kernel/protocol';
import type { ServerContext } from '@modelcontextprotocol/server';

const LIST_TIMEOUT_MS = 30_000;

/** The turns of a toolset for one client, or for all clients without a session. MCP has no turns: each `tools/list` counts as one. */
export type ToolsetTurns = ReturnType<typeof createToolsetTurns>;

export function createToolsetTurns(toolset: Toolset) {
  let count = 0;
  let beginning = 0;
  let current: TurnContext | undefined;
  let offered: readonly Tool[] | undefined;
  const tools = (): readonly Tool[] => offered ?? toolset.list();
  let last: { readonly list: readonly Tool[]; readonly name: string; readonly tool: Tool | undefined } | undefined;
  const begin = async (signal: AbortSignal, conversation: Conversation | undefined): Promise<readonly Tool[]> => {
    count += 1;
    if (toolset.listFor === undefined) return tools();
    beginning += 1;
    const { promise: failure, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`it took longer than ${LIST_TIMEOUT_MS} ms`)), LIST_TIMEOUT_MS);
    const removeAbortListener = onAbort(signal, () => reject(new Error('the client cancelled the request')));
    try {
      const turn = { turn: count, conversation, signal };
      const listing = async (): Promise<readonly Tool[] | undefined> => toolset.listFor?.(turn);
      const listed = await Promise.race([listing(), failure]);
      // What every turn is offered follows the changes of the toolset.
      offered = listed === toolset.list() ? undefined : listed;
      current = turn;
    } catch (error) {
      throw new Error(`listFor() of the toolset failed: ${errorMessage(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
      removeAbortListener();
      beginning -= 1;
    }
    return tools();
  };
  return {
    /** Whether a turn is beginning: what changes then is part of the list that follows. */
    isBeginning: (): boolean => beginning > 0,
    /** Begins the next turn and returns the tools on offer in it. Rejects if `listFor` fails or takes longer than 30 s, and when the signal aborts. */
    begin,
    /** Begins the first turn for a client that calls without having listed. Never rejects: the call will report what is wrong. */
    async ensureBegun(signal: AbortSignal, conversation: Conversation | undefined): Promise<void> {
      if (count === 0) await begin(signal, conversation).catch(() => {});
    },
    current: (): TurnContext | undefined => current,
    tools,
    /** The tool of this name. A call looks it up twice, once for its headers and once to run: the second time costs nothing. */
    find(name: string): Tool | undefined {
      const list = tools();
      if (last?.list !== list || last.name !== name)
        last = { list, name, tool: list.find((tool) => tool.name === name) };
      return last.tool;
    },
  };
}

export function conversationOf({ sessionId }: ServerContext): Conversation | undefined {
  return sessionId === undefined ? undefined : { channel: 'mcp', chatId: sessionId };
}
