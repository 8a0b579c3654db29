import { delay } from '@kernel/internal';
import {
  type AssistantMessage,
  KernelError,
  type Message,
  type MessageEnd,
  type Provider,
  type Sandbox,
  type SandboxCall,
  type SandboxEnd,
  type SandboxLimits,
  type SandboxResult,
  type SandboxRun,
  type SandboxState,
  type SandboxTool,
  type JsonValue,
  toolCallsOf,
  type ToolMessage,
} from '@kernel/protocol';
import { resultOf } from './call-results.ts';

/** One program, and what it runs in. */
export interface ProgramSetup {
  /** JavaScript. */
  readonly source: string;
  /** Where it runs. */
  readonly sandbox: Sandbox;
  /** What it can call. */
  readonly tools: readonly SandboxTool[];
  /** The values of earlier programs. */
  readonly stored: Readonly<Record<string, JsonValue>>;
  /** What it may use. */
  readonly limits: SandboxLimits;
}

/** A program as the model of a run. */
export interface ProgramProvider extends Provider {
  /** Ends the program. */
  close(): void;
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

/**
 * Makes a program the model of a run: each of its replies is the calls that the program waits for, and its last one is how the program ended, as JSON. So
 * everything that holds for the calls of a model holds for those of a program: they are decided on, limited, recorded, and continued after a crash.
 *
 * A run that goes on with calls of another process or of last week comes here with a history that the program of this process does not have yet. The program
 * is run from its start, with the results in the history: it takes the same path, since its clock and its random numbers are those of its first run.
 */
export function createProgramProvider(setup: ProgramSetup): ProgramProvider {
  let run: SandboxRun | undefined;
  let state: SandboxState | undefined;
  let startedAt = 0;
  /** How many messages of the history the program has had, and how many replies it has made. */
  let seen = 0;
  let replies = 0;

  const begin = async (history: readonly Turn[], signal: AbortSignal): Promise<void> => {
    startedAt = startOf(history) ?? Date.now();
    const { source, sandbox, tools, stored, limits } = setup;
    run = await sandbox.start({ source, tools, startedAt, seed: seedOf(startedAt), stored, limits, signal });
  };

  /** Runs the program until it waits for calls or has ended. What it slept before the calls of the history is over. */
  const proceed = async (results: readonly SandboxResult[], signal: AbortSignal | undefined): Promise<SandboxState> => {
    if (run === undefined) throw new KernelError('TOOL_FAILED', 'The program has not begun.');
    state = await run.resume(results);
    while (state.type === 'sleep') {
      if (signal !== undefined) await delay(state.sleepMs, signal);
      state = await run.resume([]);
    }
    return state;
  };

  return {
    name: 'code-mode',
    async *stream({ messages, signal = new AbortController().signal }) {
      // A history only grows: each message is looked at once.
      const history = turnsOf(seen === 0 ? messages : messages.slice(seen));
      seen = messages.length;
      if (run === undefined) await begin(history, signal);
      if (state === undefined) await proceed([], history.length === 0 ? signal : undefined);
      for (const [at, turn] of history.entries()) {
        if (!isSame(state, turn.calls)) throw otherPath();
        replies += 1;
        await proceed(turn.results, at === history.length - 1 ? signal : undefined);
      }
      if (state?.type === 'calls') return yield callsReply(state.calls, replies, startedAt);
      // Before the run is over, which aborts what is still open: the sandbox keeps what it can use again.
      run?.close();
      yield endReply(state);
    },
    close: () => run?.close(),
  };
}

/** One reply of the history with the results of its calls. */
interface Turn {
  readonly calls: ReturnType<typeof toolCallsOf>;
  readonly results: readonly SandboxResult[];
}

function turnsOf(messages: readonly Message[]): readonly Turn[] {
  const results = new Map<string, ToolMessage>();
  for (const message of messages) if (message.role === 'tool') results.set(message.toolCallId, message);
  const replies = messages.filter((message): message is AssistantMessage => message.role === 'assistant');
  return replies.map((reply) => {
    const calls = toolCallsOf(reply);
    return { calls, results: calls.map(({ id }) => resultOf(results.get(id))) };
  });
}

/** When the program of a history was started. */
function startOf([first]: readonly Turn[]): number | undefined {
  const startedAt = first?.calls[0]?.providerData;
  return typeof startedAt === 'number' ? startedAt : undefined;
}

function isSame(state: SandboxState | undefined, calls: Turn['calls']): boolean {
  if (state?.type !== 'calls' || state.calls.length !== calls.length) return false;
  return state.calls.every(({ name, input }, at) => calls[at]?.name === name && calls[at].arguments === input);
}

function callsReply(calls: readonly SandboxCall[], reply: number, startedAt: number): MessageEnd {
  const content = calls.map(({ name, input }, at) => ({
    type: 'tool-call' as const,
    id: `${reply + 1}.${at + 1}`,
    name,
    arguments: input,
    ...(reply === 0 && at === 0 && { providerData: startedAt }),
  }));
  return { type: 'message-end', message: { role: 'assistant', content }, finishReason: 'tool-calls', usage: NO_USAGE };
}

function endReply(state: SandboxState | undefined): MessageEnd {
  const content = [{ type: 'text' as const, text: JSON.stringify(state) }];
  return { type: 'message-end', message: { role: 'assistant', content }, finishReason: 'stop', usage: NO_USAGE };
}

/** Reads the answer of a run whose model was a program. Undefined if it is not how a program ended. */
export function readProgramEnd(answer: string): SandboxEnd | undefined {
  if (!answer.startsWith('{"type":"end"')) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made by `endReply`
  return JSON.parse(answer) as SandboxEnd;
}

/** Spreads a time over 32 bits. */
function seedOf(startedAt: number): number {
  return Math.imul((startedAt % 2 ** 32) | 0, 0x9e3779b1) >>> 0;
}

function otherPath(): KernelError {
  return new KernelError('TOOL_FAILED', 'The program took another path than in its first run.', {
    hint: 'The tools that it can call have changed since. Run it again.',
  });
}
