import {
  type CallContext,
  checkToolset,
  isToolResult,
  KernelError,
  type PreparedCall,
  type Tool,
  type ToolCall,
  toErrorResult,
  type ToolResult,
  type Toolset,
  type TurnContext,
  wrapToolset,
} from '@kernel/protocol';
import type { CallableTools } from './program/check-program.ts';
import { checkOptions, type CheckedOptions } from './check-options.ts';
import { toSandboxTools } from './declarations/declare-tools.ts';
import type { CodeModeOptions } from './options.ts';
import { readCode } from './program/read-code.ts';
import { createRunCode } from './run-code.ts';
import { createStores } from './stored-values.ts';
import { createCodeTool } from './code-tool.ts';

/** The tools of a list that programs can call, the tool that runs them, and what is on offer with it. */
interface CodeList extends CallableTools {
  /** The tool that runs programs. */
  readonly codeTool: Tool;
  /** What is on offer to the model. */
  readonly offered: readonly Tool[];
}

/**
 * Puts tools behind one tool that runs programs: the model writes JavaScript or TypeScript that calls them, and reads what the program writes and returns.
 *
 * Every call of a program is a call: validated and repaired, decided on by the `approve` of the run, limited, redacted, recorded, and reported as a
 * `sub-agent-event`. A call that waits for a decision suspends the program, which continues in whatever process the decision reaches.
 *
 * @example
 * ```ts
 * import { withCodeMode } from '@kernel/code-mode';
 * import { bindTool, createRegistry } from '@kernel/tools';
 *
 * const parameters = { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } as const;
 * const price = bindTool({ name: 'price', description: 'Tells a price.', effect: 'read', parameters }, ({ id }) => ({ euros: id }));
 * const tools = withCodeMode(createRegistry([price]));
 * ```
 */
export function withCodeMode<Context = unknown>(tools: Toolset<Context>, options?: CodeModeOptions): Toolset<Context>;
export function withCodeMode(tools: Toolset, given: CodeModeOptions = {}): Toolset {
  checkToolset('withCodeMode', tools);
  const options = checkOptions(given);
  const { name, direct } = options;
  const lists = new WeakMap<readonly Tool[], CodeList>();
  const ownLists = new WeakMap<TurnContext, readonly Tool[]>();
  const storeOf = createStores(options.values);
  const listFor = tools.listFor?.bind(tools);

  const listOf = (list: readonly Tool[]): CodeList => {
    const known = lists.get(list);
    if (known !== undefined) return known;
    const made = createCodeList(list, options);
    lists.set(list, made);
    return made;
  };
  const currentList = (turn: TurnContext | undefined): CodeList => listOf((turn && ownLists.get(turn)) ?? tools.list());
  const runCode = createRunCode(tools, options);

  /** A program that goes on after a decision has run already, with the tools of its time. */
  const prepareProgram = async (call: ToolCall, context: CallContext): Promise<PreparedCall | ToolResult> => {
    const list = currentList(context.turn);
    const read = await readCode(call, list.codeTool);
    if (isToolResult(read)) return read;
    return {
      tool: list.codeTool,
      arguments: read.arguments,
      runsAgent: true,
      run: async (running) =>
        runCode(read, list, { ...context, ...running, callId: call.id }, await storeOf(call, context)),
    };
  };

  return wrapToolset(tools, {
    list: () => currentList(undefined).offered,
    prepare: (call, context) =>
      call.name === name ? prepareProgram(call, context) : prepareDirect(tools, call, context, direct, name),
    ...(listFor !== undefined && {
      listFor(turn: TurnContext) {
        const offer = (own: readonly Tool[]): readonly Tool[] => {
          ownLists.set(turn, own);
          return listOf(own).offered;
        };
        const own = listFor(turn);
        return own instanceof Promise ? own.then(offer) : offer(own);
      },
    }),
  });
}

function createCodeList(list: readonly Tool[], options: CheckedOptions): CodeList {
  const { name, direct } = options;
  const clash = list.find((tool) => tool.name === name);
  if (clash !== undefined)
    throw new KernelError('CONFIG_INVALID', `withCodeMode: the toolset has a tool "${name}" of its own.`, {
      hint: 'Pass another `name`.',
    });
  const tools = Object.freeze(list.filter((tool) => !direct.has(tool.name)));
  const sandboxTools = toSandboxTools(tools);
  const codeTool = createCodeTool(options, tools, sandboxTools);
  const offered = Object.freeze([...list.filter((tool) => direct.has(tool.name)), codeTool]);
  return { tools, sandboxTools, codeTool, offered };
}

/** A call that the model makes itself. One of a tool that programs call is told how. */
function prepareDirect(
  tools: Toolset,
  call: ToolCall,
  context: CallContext,
  direct: ReadonlySet<string>,
  name: string,
): ReturnType<Toolset['prepare']> {
  if (direct.has(call.name) || !tools.list().some((tool) => tool.name === call.name))
    return tools.prepare(call, context);
  const error = new KernelError('TOOL_NOT_FOUND', `"${call.name}" is called by programs.`, {
    hint: `Call ${name} with a program that calls tools.${call.name}(input).`,
  });
  return toErrorResult(error, 'skipped');
}
