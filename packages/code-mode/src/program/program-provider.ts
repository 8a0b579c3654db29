import { delay, isObject } from '@kernel/internal';
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
import { withGoneTools } from '../declarations/declare-tools.ts';
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
  /** Says what is certain to go wrong in it, before any of it has run. */
  check(): readonly string[];
}

/** A program as the model of a run. */
export interface ProgramProvider extends Provider {
  /** What `check` has found: then nothing of the program has run. */
  problems(): readonly string[];
  /** Ends the program. */
  close(): void;
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

/**
 * Makes a program the model of a run: each of its replies is the calls that the program waits for, and its last one is how the program ended, as JSON. So
 * everything that holds for the calls of a model holds for those of a program: they are decided on, limited, recorded, and continued after a crash.
 *
 * A run that goes on with calls of another process or of last week comes here with a history that the program of this process does not have yet. The program
 * is run from its start, with the results in the history: it takes the same path, since its clock, its random numbers and its stored values are those of its first run.
 */
export function createProgramProvider(setup: ProgramSetup): ProgramProvider {
  let run: SandboxRun | undefined;
  let state: SandboxState | undefined;
  let origin: Origin = { startedAt: 0, stored: {} };
  let problems: readonly string[] = [];
  /** How many messages of the history the program has had, and how many replies it has made. */
  let seen = 0;
  let replies = 0;

  const begin = async (history: readonly Turn[], signal: AbortSignal): Promise<void> => {
    const { source, sandbox, limits } = setup;
    const called = history.flatMap(({ calls }) => calls.map(({ name }) => name));
    const tools = withGoneTools(setup.tools, called);
    origin = originOf(history) ?? { startedAt: Date.now(), stored: setup.stored };
    const { startedAt, stored } = origin;
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
    problems: () => problems,
    async *stream({ messages, signal = new AbortController().signal }) {
      // A history only grows: each message is looked at once.
      const history = turnsOf(seen === 0 ? messages : messages.slice(seen));
      seen = messages.length;
      // A program that goes on runs with the tools that there are now: what it has done is done.
      if (history.length === 0) problems = setup.check();
      if (problems.length > 0) throw new KernelError('ARGUMENTS_INVALID', problems.join(' '));
      if (run === undefined) await begin(history, signal);
      if (state === undefined) await proceed([], history.length === 0 ? signal : undefined);
      for (const [at, turn] of history.entries()) {
        if (!isSame(state, turn.calls)) throw otherPath();
        replies += 1;
        await proceed(turn.results, at === history.length - 1 ? signal : undefined);
      }
      if (state?.type === 'calls') return yield callsReply(state.calls, replies, origin);
      // Before the run is over, which aborts what is still open: the sandbox keeps what it can use again.
      run?.close();
      yield endReply(state, origin.stored);
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

/** What a program was started with, kept with its first call: it takes another path with anything else. */
interface Origin {
  /** What its clock shows, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The values of earlier programs. */
  readonly stored: Readonly<Record<string, JsonValue>>;
}

/** What the program of a history was started with. */
function originOf([first]: readonly Turn[]): Origin | undefined {
  const kept = first?.calls[0]?.providerData;
  if (!isObject(kept) || typeof kept['startedAt'] !== 'number') return undefined;
  const { startedAt, stored } = kept;
  return { startedAt, stored: isObject(stored) ? stored : {} };
}

function isSame(state: SandboxState | undefined, calls: Turn['calls']): boolean {
  if (state?.type !== 'calls' || state.calls.length !== calls.length) return false;
  return state.calls.every(({ name, input }, at) => calls[at]?.name === name && calls[at].arguments === input);
}

function callsReply(calls: readonly SandboxCall[], reply: number, { startedAt, stored }: Origin): MessageEnd {
  const origin = Object.keys(stored).length === 0 ? { startedAt } : { startedAt, stored };
  const content = calls.map(({ name, input }, at) => ({
    type: 'tool-call' as const,
    id: `${reply + 1}.${at + 1}`,
    name,
    arguments: input,
    ...(reply === 0 && at === 0 && { providerData: origin }),
  }));
  return { type: 'message-end', message: { role: 'assistant', content }, finishReason: 'tool-calls', usage: NO_USAGE };
}

/** How a program ended, and what it changed of the stored values: other programs may have changed others since it began. */
export interface ProgramEnd extends Omit<SandboxEnd, 'stored'> {
  /** The values that it stored, by key: what was not there before, or was another value. */
  readonly stored: SandboxEnd['stored'];
  /** The keys that it removed. */
  readonly removed: readonly string[];
}

function endReply(state: SandboxState | undefined, before: Origin['stored']): MessageEnd {
  if (state?.type !== 'end') throw new KernelError('TOOL_FAILED', 'The program has not ended.');
  const changed = Object.entries(state.stored).filter(
    ([key, value]) => !Object.hasOwn(before, key) || JSON.stringify(before[key]) !== JSON.stringify(value),
  );
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(state.stored, key));
  const end: ProgramEnd = { ...state, stored: Object.fromEntries(changed), removed };
  const content = [{ type: 'text' as const, text: JSON.stringify(end) }];
  return { type: 'message-end', message: { role: 'assistant', content }, finishReason: 'stop', usage: NO_USAGE };
}

/** Reads the answer of a run whose model was a program. Undefined if it is not how a program ended. */
export function readProgramEnd(answer: string): ProgramEnd | undefined {
  if (!answer.startsWith('{"type":"end"')) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made by `endReply`
  return JSON.parse(answer) as ProgramEnd;
}

/** Spreads a time over 32 bits. */
function seedOf(startedAt: number): number {
  return Math.imul((startedAt % 2 ** 32) | 0, 0x9e3779b1) >>> 0;
}

function otherPath(): KernelError {
  return new KernelError('TOOL_FAILED', 'The program took another path than in its first run.', {
    hint: 'What it can call has changed since, or what calls return in it. The calls that it has made stay made.',
  });
}
