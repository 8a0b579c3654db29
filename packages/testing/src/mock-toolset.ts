import {
  type CallContext,
  KernelError,
  type Tool,
  toErrorResult,
  type ToolCall,
  toolResult,
  type ToolResult,
  type Toolset,
} from '@kernel/protocol';

/** What a mock tool does when it is called: answers with a text or result, waits first, hangs, or throws. */
export type MockBehaviour =
  | string
  | ToolResult
  | {
      readonly returns?: string | ToolResult;
      /** Milliseconds before it answers. */
      readonly delayMs?: number;
      /** Never settles; with `'until-abort'`, settles when the signal aborts. */
      readonly hangs?: true | 'until-abort';
      /** The call rejects with this: a toolset that breaks its port. */
      readonly throws?: unknown;
    }
  | ((call: ToolCall, context: CallContext) => string | ToolResult | Promise<string | ToolResult>);

/** A mock tool: a description, or a name alone, and what it does. */
export interface MockTool {
  readonly tool: Tool;
  readonly does: MockBehaviour;
}

/** A `Toolset` of mock tools that records its calls. */
export interface MockToolset extends Toolset {
  readonly calls: readonly ToolCall[];
  /** The contexts of the calls, in the same order. */
  readonly contexts: readonly CallContext[];
  /** How many calls are running now. */
  readonly running: number;
  /** The most that ran at once. */
  readonly mostAtOnce: number;
}

/** Makes a mock tool without arguments. Its effect is `read` unless told. */
export function mockTool(name: string, does: MockBehaviour, rest: Partial<Tool> = {}): MockTool {
  const tool: Tool = {
    name,
    description: `Mock ${name}`,
    parameters: { type: 'object', properties: {} },
    effect: 'read',
    ...rest,
  };
  return { tool: Object.freeze(tool), does };
}

/** Makes a toolset that knows no registry: for tests of what stands above the port. */
export function mockToolset(tools: readonly MockTool[]): MockToolset {
  const byName = new Map(tools.map((mock) => [mock.tool.name, mock]));
  const list = Object.freeze(tools.map((mock) => mock.tool));
  const calls: ToolCall[] = [];
  const contexts: CallContext[] = [];
  let running = 0;
  let mostAtOnce = 0;
  return {
    calls,
    contexts,
    get running() {
      return running;
    },
    get mostAtOnce() {
      return mostAtOnce;
    },
    list: () => list,
    async call(call, context) {
      const mock = byName.get(call.name);
      if (mock === undefined) return toErrorResult(new KernelError('TOOL_NOT_FOUND', `No tool "${call.name}".`));
      calls.push(call);
      contexts.push(context);
      running += 1;
      mostAtOnce = Math.max(mostAtOnce, running);
      try {
        const result = await perform(mock.does, call, context);
        return typeof result === 'string' ? toolResult(result) : result;
      } finally {
        running -= 1;
      }
    },
  };
}

async function perform(does: MockBehaviour, call: ToolCall, context: CallContext): Promise<string | ToolResult> {
  if (typeof does === 'string' || (typeof does === 'object' && 'forLLM' in does)) return does;
  if (typeof does === 'function') return does(call, context);
  if (does.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, does.delayMs));
  if (does.hangs === true) await new Promise(() => {});
  if (does.hangs === 'until-abort') await untilAbort(context.signal);
  // oxlint-disable-next-line typescript/only-throw-error -- a mock throws what it is told
  if ('throws' in does) throw does.throws;
  return does.returns ?? 'done';
}

function untilAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
