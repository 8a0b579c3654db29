import { isObject, sliceTail } from '@kernel/internal';
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

/** The commands that run for one agent. */
export interface Terminals {
  /** Starts a call of `run_command` that was decided on. Resolves, never rejects, when it has ended. */
  start(
    call: ToolCall,
    context: CallContext,
    keptCharacters: number,
  ): { readonly terminal: Terminal; readonly result: Promise<ToolResult> };
  find(id: unknown): Terminal | undefined;
  /** Stops a command, and forgets what it wrote. */
  release(id: string): void;
  /** How many run. */
  running(): number;
  /** Stops all of them, and waits until they have ended. */
  close(): Promise<void>;
}

export const MAX_TERMINALS = 32;
const MAX_OUTPUT = 1_000_000;

/** Creates what runs the commands of an agent through `run_command` of a toolset. */
export function createTerminals(tools: Toolset, onEnd: () => void): Terminals {
  const terminals = new Map<string, Terminal>();
  const results = new Set<Promise<unknown>>();
  const running = (): number => [...terminals.values()].filter(({ end }) => end === undefined).length;
  return {
    start(call, context, keptCharacters) {
      const kept = Math.min(keptCharacters, MAX_OUTPUT);
      const controller = new AbortController();
      const { promise: ended, resolve: finish } = Promise.withResolvers<TerminalEnd>();
      const terminal: Terminal = {
        id: call.id,
        output: '',
        isCut: false,
        end: undefined,
        ended,
        stop: () => controller.abort(),
      };
      terminals.set(call.id, terminal);
      const write = (text: string): void => {
        terminal.isCut ||= text.length > kept;
        terminal.output = sliceTail(text, kept);
      };
      const { conversation, context: value, idempotencyKey } = context;
      const work = tools
        .call(call, {
          signal: controller.signal,
          conversation,
          context: value,
          idempotencyKey,
          onProgress: (text) => {
            write(terminal.output + text);
            context.onProgress?.(text);
          },
        })
        .catch((error: unknown): ToolResult => errorResult(String(error), error));
      const result = work.then((each) => {
        write(outputOf(each));
        terminal.end = endOf(each);
        finish(terminal.end);
        onEnd();
        return each;
      });
      results.add(result);
      void result.finally(() => results.delete(result));
      return { terminal, result };
    },
    find: (id) => (typeof id === 'string' ? terminals.get(id) : undefined),
    release(id) {
      terminals.get(id)?.stop();
      terminals.delete(id);
    },
    running,
    async close() {
      for (const { stop } of terminals.values()) stop();
      await Promise.all(results);
    },
  };
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
