import { errorMessage, isObject, parseJson, type Redactor } from '@kernel/internal';
import {
  type CallContext,
  callTool,
  errorResult,
  type RunningCall,
  type ToolCall,
  type ToolResult,
  type Toolset,
} from '@kernel/protocol';

/** A command that runs for the agent. */
export interface AgentTerminal {
  readonly id: string;
  output: string;
  isCut: boolean;
  end: TerminalExit | undefined;
  readonly ended: Promise<TerminalExit>;
  readonly stop: () => void;
}

/** How a command ended, as the protocol says it. */
export interface TerminalExit {
  readonly exitCode?: number;
  readonly signal?: string;
}

interface TerminalCommand {
  /** What the call stands for, with what it must not say; undefined where its arguments are what runs. */
  readonly input: object | undefined;
  /** How many bytes of its output are kept. */
  readonly kept: number;
}

const MAX_OUTPUT = 1_000_000;

/** The commands of one agent. */
export type AgentTerminals = ReturnType<typeof createAgentTerminals>;

/** Creates what runs the commands of an agent through `run_command` of a toolset. */
export function createAgentTerminals(tools: Toolset, redactor: Redactor, onEnd: () => void) {
  const terminals = new Map<string, AgentTerminal>();
  const open = new Map<AgentTerminal, Promise<unknown>>();
  return {
    /** Starts the command of a call, and resolves with its end. Never rejects. */
    start(
      call: ToolCall,
      { conversation, context, idempotencyKey, onProgress: report }: CallContext & RunningCall,
      { input, kept }: TerminalCommand,
    ): Promise<ToolResult> {
      const controller = new AbortController();
      const { promise: ended, resolve: finish } = Promise.withResolvers<TerminalExit>();
      const stop = (): void => controller.abort();
      const terminal: AgentTerminal = { id: call.id, output: '', isCut: false, end: undefined, ended, stop };
      const write = (text: string): void => {
        terminal.output = lastBytes(text, Math.min(kept, MAX_OUTPUT));
        terminal.isCut ||= terminal.output.length < text.length;
      };
      const shown = redactor.stream();
      const onProgress = (text: string): void => {
        write(terminal.output + text);
        const clean = shown.push(text);
        if (clean !== '') report?.(clean);
      };
      const real = input === undefined ? withoutAgent(call.arguments) : JSON.stringify(input);
      const running = { signal: controller.signal, conversation, context, idempotencyKey, onProgress };
      const result = callTool(tools, { ...call, arguments: real }, running)
        .catch((error: unknown): ToolResult => errorResult(errorMessage(error), error))
        .then((each) => {
          write(outputOf(each));
          terminal.isCut ||= isObject(each.data) && Number(each.data['bytesLeftOut']) > 0;
          terminal.end = endOf(each, controller.signal.aborted);
          open.delete(terminal);
          finish(terminal.end);
          onEnd();
          return redactor.data(each);
        });
      terminals.set(call.id, terminal);
      open.set(terminal, result);
      return result;
    },
    find: (id: string): AgentTerminal | undefined => terminals.get(id),
    /** Stops a command, and forgets what it wrote. */
    release(id: string): void {
      terminals.get(id)?.stop();
      terminals.delete(id);
    },
    /** How many run. */
    running: () => open.size,
    /** Stops all of them, and resolves when they have ended. */
    async close(): Promise<void> {
      for (const { stop } of open.keys()) stop();
      await Promise.all(open.values());
    },
  };
}

/** The arguments as `run_command` takes them: which agent asks is for those who decide. */
function withoutAgent(json: string): string {
  const input = parseJson(json);
  if (!isObject(input)) return json;
  const { agent: _agent, ...rest } = input as Readonly<Record<string, unknown>>;
  return JSON.stringify(rest);
}

/** The end of a text that has at most so many bytes, and no half character. */
function lastBytes(text: string, max: number): string {
  // A character has three bytes at most.
  if (text.length * 3 <= max || Buffer.byteLength(text) <= max) return text;
  const bytes = Buffer.from(text);
  let from = bytes.length - max;
  while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.toString('utf8', from);
}

/** What a command wrote: the text of the result without its first line, which says how it ended. A call that failed has its error alone. */
function outputOf({ forLLM, data }: ToolResult): string {
  const at = forLLM.indexOf('\n');
  const text = data === undefined || at === -1 ? forLLM : forLLM.slice(at + 1);
  return text === '(no output)' ? '' : text;
}

function endOf({ data, isError }: ToolResult, isStopped: boolean): TerminalExit {
  const { exitCode, signal }: Readonly<Record<string, unknown>> = isObject(data) ? data : {};
  if (typeof signal === 'string') return { signal };
  // It was stopped before it had started.
  if (isStopped && typeof exitCode !== 'number') return { signal: 'SIGTERM' };
  return { exitCode: typeof exitCode === 'number' ? exitCode : isError === true ? 1 : 0 };
}
