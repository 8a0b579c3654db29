import { delay, onAbort } from '@kernel/internal';
import {
  type CallContext,
  KernelError,
  type RunningCall,
  type Tool,
  toErrorResult,
  type ToolCall,
  toolResult,
  type ToolResult,
  type Toolset,
} from '@kernel/protocol';

/** What a mock tool does when it is called: it returns a text or a result, waits first, hangs, or throws. */
export type MockBehavior =
  | string
  | ToolResult
  | {
      /** What the call returns; a string is the text for the model. Default `done`. */
      readonly returns?: string | ToolResult;
      /** Milliseconds before it answers. */
      readonly delayMs?: number;
      /** Never settles; with `'until-abort'`, settles when the signal aborts. */
      readonly hangs?: true | 'until-abort';
      /** The call rejects with this: a toolset that breaks its port. */
      readonly throws?: unknown;
    }
  | ((call: ToolCall, context: CallContext & RunningCall) => string | ToolResult | Promise<string | ToolResult>);

/** A mock tool and what it does. */
export interface MockTool {
  /** The description that is on offer. */
  readonly tool: Tool;
  /** What a call of it does. */
  readonly behavior: MockBehavior;
}

/** A `Toolset` of mock tools that records its calls. */
export interface MockToolset extends Toolset {
  /** Every call of a known tool that ran, in order. */
  readonly calls: readonly ToolCall[];
  /** The contexts of the calls, as they were prepared and run, in the same order. */
  readonly contexts: readonly (CallContext & RunningCall)[];
  /** How many calls are running now. */
  readonly running: number;
  /** The largest number of calls that ran at the same time. */
  readonly maxRunning: number;
}

/** Creates a mock tool without arguments. Its effect is `read` unless `rest` says otherwise. */
export function mockTool(name: string, behavior: MockBehavior, rest: Partial<Tool> = {}): MockTool {
  const tool: Tool = {
    name,
    description: `Mock ${name}`,
    parameters: { type: 'object', properties: {} },
    effect: 'read',
    ...rest,
  };
  return { tool: Object.freeze(tool), behavior };
}

/**
 * Creates a toolset without a registry, for tests of code above the port.
 *
 * @example
 * ```ts
 * import { mockTool, mockToolset } from '@kernel/testing';
 *
 * const tools = mockToolset([mockTool('clock', 'noon'), mockTool('slow', { delayMs: 50, returns: 'done' })]);
 * ```
 */
export function mockToolset(tools: readonly MockTool[]): MockToolset {
  const byName = new Map(tools.map((mock) => [mock.tool.name, mock]));
  const list = Object.freeze(tools.map((mock) => mock.tool));
  const calls: ToolCall[] = [];
  const contexts: (CallContext & RunningCall)[] = [];
  let running = 0;
  let maxRunning = 0;
  return {
    calls,
    contexts,
    get running() {
      return running;
    },
    get maxRunning() {
      return maxRunning;
    },
    list: () => list,
    prepare(call, context) {
      const mock = byName.get(call.name);
      if (mock === undefined) return toErrorResult(new KernelError('TOOL_NOT_FOUND', `No tool "${call.name}".`));
      return {
        tool: mock.tool,
        arguments: call.arguments,
        async run(run) {
          const whole = { ...context, ...run };
          calls.push(call);
          contexts.push(whole);
          running += 1;
          maxRunning = Math.max(maxRunning, running);
          try {
            const result = await perform(mock.behavior, call, whole);
            return typeof result === 'string' ? toolResult(result) : result;
          } finally {
            running -= 1;
          }
        },
      };
    },
  };
}

async function perform(
  behavior: MockBehavior,
  call: ToolCall,
  context: CallContext & RunningCall,
): Promise<string | ToolResult> {
  if (typeof behavior === 'string' || (typeof behavior === 'object' && 'forLLM' in behavior)) return behavior;
  if (typeof behavior === 'function') return behavior(call, context);
  if (behavior.delayMs !== undefined) await delay(behavior.delayMs);
  if (behavior.hangs === true) await new Promise(() => {});
  if (behavior.hangs === 'until-abort') await new Promise<void>((resolve) => void onAbort(context.signal, resolve));
  // oxlint-disable-next-line typescript/only-throw-error -- a mock throws whatever it is given
  if ('throws' in behavior) throw behavior.throws;
  return behavior.returns ?? 'done';
}
