import { errorMessage, isObject, sliceTail } from '@kernel/internal';
import { type CallContext, errorResult, type ToolCall, type ToolResult, type Toolset } from '@kernel/protocol';

/** A command that runs for the agent. */
export interface Terminal {
  readonly id: string;
  output: string;
  isCut: boolean;
  end: TerminalEnd | undefined;
  readonly ended: Promise<TerminalEnd>;
  readonly stop: () => void;
}

/** How a command ended, as the protocol says it. */
export interface TerminalEnd {
  readonly exitCode?: number;
  readonly signal?: string;
}

/** The commands of one agent. */
export interface Terminals {
  /** Says that a call will start a command of which so many characters are kept; resolves when it has. */
  expect(callId: string, kept: number): Promise<Terminal>;
  /** Starts none for a call that was expected. */
  forget(callId: string): void;
  /** Starts the command of a call, and resolves with its end; undefined if none is expected of it. Never rejects. */
  start(call: ToolCall, context: CallContext): Promise<ToolResult> | undefined;
  find(id: unknown): Terminal | undefined;
  /** Stops a command, and forgets what it wrote. */
  release(id: string): void;
  /** How many run, or wait for a decision. */
  running(): number;
  /** Stops all of them, starts no more, and resolves when they have ended. */
  close(): Promise<void>;
}

export const MAX_TERMINALS = 32;
const MAX_OUTPUT = 1_000_000;

interface Expected {
  readonly kept: number;
  readonly started: (terminal: Terminal) => void;
}

/** Creates what runs the commands of an agent through `run_command` of a toolset. */
export function createTerminals(tools: Toolset, onEnd: () => void): Terminals {
  const expected = new Map<string, Expected>();
  const terminals = new Map<string, Terminal>();
  const open = new Map<Terminal, Promise<unknown>>();

  const run = (call: ToolCall, context: CallContext, { kept, started }: Expected): Promise<ToolResult> => {
    const controller = new AbortController();
    const { promise: ended, resolve: finish } = Promise.withResolvers<TerminalEnd>();
    const stop = (): void => controller.abort();
    const terminal: Terminal = { id: call.id, output: '', isCut: false, end: undefined, ended, stop };
    const write = (text: string): void => {
      terminal.isCut ||= text.length > kept;
      terminal.output = sliceTail(text, kept);
    };
    const { conversation, context: value, idempotencyKey } = context;
    const onProgress = (text: string): void => {
      write(terminal.output + text);
      context.onProgress?.(text);
    };
    const result = tools
      .call(withoutAgent(call), { signal: controller.signal, conversation, context: value, idempotencyKey, onProgress })
      .catch((error: unknown): ToolResult => errorResult(errorMessage(error), error))
      .then((each) => {
        write(outputOf(each));
        terminal.end = endOf(each);
        open.delete(terminal);
        finish(terminal.end);
        onEnd();
        return each;
      });
    terminals.set(call.id, terminal);
    open.set(terminal, result);
    started(terminal);
    return result;
  };

  return {
    expect: (callId, kept) =>
      new Promise((resolve) => void expected.set(callId, { kept: Math.min(kept, MAX_OUTPUT), started: resolve })),
    forget: (callId) => void expected.delete(callId),
    start(call, context) {
      const wanted = expected.get(call.id);
      expected.delete(call.id);
      return wanted && run(call, context, wanted);
    },
    find: (id) => (typeof id === 'string' ? terminals.get(id) : undefined),
    release(id) {
      terminals.get(id)?.stop();
      terminals.delete(id);
    },
    running: () => open.size + expected.size,
    async close() {
      expected.clear();
      for (const { stop } of open.keys()) stop();
      await Promise.all(open.values());
    },
  };
}

/** The call as `run_command` takes it: which agent asks for it is for those who decide. */
function withoutAgent(call: ToolCall): ToolCall {
  const input: unknown = JSON.parse(call.arguments);
  if (!isObject(input)) return call;
  const { agent: _agent, ...rest } = input as Readonly<Record<string, unknown>>;
  return { ...call, arguments: JSON.stringify(rest) };
}

/** What a command wrote: the text of the result without its first line, which says how it ended. A call that failed has its error alone. */
function outputOf({ forLLM, data }: ToolResult): string {
  const at = forLLM.indexOf('\n');
  const text = data === undefined || at === -1 ? forLLM : forLLM.slice(at + 1);
  return text === '(no output)' ? '' : text;
}

function endOf({ data, isError }: ToolResult): TerminalEnd {
  const { exitCode, signal }: Readonly<Record<string, unknown>> = isObject(data) ? data : {};
  if (typeof signal === 'string') return { signal };
  return { exitCode: typeof exitCode === 'number' ? exitCode : isError === true ? 1 : 0 };
}
