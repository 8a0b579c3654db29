import {
  addUsage,
  type Emit,
  type Message,
  type MessageEnd,
  type PreparedCall,
  type Provider,
  type ProviderRequest,
  type StepExecutor,
  type Tool,
  type ToolCall,
  type ToolChoice,
  type ToolResult,
  type Toolset,
  type TurnContext,
  type Usage,
} from '@kernel/protocol';
import { callIdsOf } from '../history/call-ids.ts';
import { freezeMessage } from '../history/messages.ts';
import { initialHistory } from '../history/repair-history.ts';
import type { LoopGuard } from '../limits/loop-guard.ts';
import type { RunLimits } from '../limits/run-limits.ts';
import { createSemaphore, type Semaphore } from '../limits/semaphore.ts';
import { createUsageMeter, reportedUsage, type UsageMeter } from '../limits/usage-meter.ts';
import type { RunOptions } from '../options.ts';
import { createInbox, type Inbox } from './inbox.ts';
import type { Pauses, RunAnswer, RunEnding } from './run-end.ts';
import { currentScope, innerSteps, type RunScope, uniqueRunId } from './run-scope.ts';
import { inProcessSteps, type StepContext } from './steps.ts';

/** Which tools are on offer to one run, turn by turn. */
export interface OfferedTools {
  /** The toolset. */
  readonly tools: Toolset | undefined;
  /** The turn that has begun last in this process. */
  turn: TurnContext | undefined;
  /** The tools on offer in that turn, or the promise of them. */
  begun: readonly Tool[] | Promise<readonly Tool[]>;
  /** The tools that were on offer last. */
  listed: readonly Tool[];
  /** The number of the turn whose reply the loop has got, from the model or from a journal. */
  repliedTurn: number;
}

/** One run: what it works with, and what has happened so far. */
export interface Run extends StepContext {
  /** The options that it was started with. */
  readonly options: RunOptions;
  /** Its limits. */
  readonly limits: RunLimits;
  /** The typed answer. Absent where none was asked for. */
  readonly output: TypedOutput | undefined;
  /** Executes the steps: the run's own executor, or that of the call whose sub-agent it is. */
  readonly steps: StepExecutor;
  /** Whether it is a child run: it was started within a call of another run. */
  readonly isChild: boolean;
  /** The scope of the call of the parent run whose sub-agent it is. Absent where the handler of a call has started it in some other way. */
  readonly parent: RunScope | undefined;
  /** The ids of the calls of sub-agents that it runs in, outermost first. */
  readonly path: readonly string[];
  /** Its id, unique among the child runs of its call. */
  readonly runId: string | undefined;
  /** The tools on offer, turn by turn. */
  readonly offered: OfferedTools;
  /** What was prepared of calls, by their ids: kept in this process until they have run. */
  readonly ready: Map<string, { readonly call: ToolCall; readonly prepared: PreparedCall | ToolResult }>;
  /** What reaches it from outside. */
  readonly inbox: Inbox;
  /** Counts what it uses. */
  readonly meter: UsageMeter;
  /** Absent before the first results, and where repeats are not limited. */
  guard: LoopGuard | undefined;
  /** Limits the calls that run at once. */
  readonly semaphore: Semaphore;
  /** The pauses of its replies. */
  readonly pauses: Pauses;
  /** The selections that `prepareTurn` has made, by the list they were made from and their names: encoders cache by identity. */
  selections: WeakMap<readonly Tool[], Map<string, readonly Tool[]>> | undefined;
  /** The history. */
  readonly messages: Message[];
  /** How long the history was before it. */
  readonly inputLength: number;
  /** The ids of all calls in the history. */
  readonly callIds: Set<string>;
  /** What its replies and its sub-agents have reported. */
  usage: Usage;
  /** How many turns it has had. */
  turns: number;
  /** Whether a call went on in the background. */
  hasAsyncCalls: boolean;
}

/** How the answer of one turn is asked for: as the format of the reply, by a tool, or by instructions. */
export type OutputMode = 'schema' | 'tool-call' | 'text';

/** How one turn asks for the typed answer. */
export interface OutputRequest {
  /** How the answer is asked for. */
  readonly mode: OutputMode;
  /** The tools on offer, with or without the one that takes the answer. */
  readonly tools: readonly Tool[];
  /** Further fields of the request. */
  readonly fields: Pick<ProviderRequest, 'responseFormat' | 'toolChoice'>;
  /** Adds instructions to the messages, where they are needed. */
  messages(messages: readonly Message[]): readonly Message[];
}

/** The typed answer of one run: what the loop asks of it. */
export interface TypedOutput {
  /** The tools of the run, with the one that takes the answer. */
  readonly tools: Toolset;
  /** Whether a call gives the answer. */
  isAnswer(name: string): boolean;
  /** Decides how a turn asks for the answer. Rejects with `CONFIG_INVALID` if a tool on offer has the name of the one that takes the answer. */
  request(
    provider: Provider,
    model: string,
    offered: readonly Tool[],
    toolChoice: ToolChoice | undefined,
  ): Promise<OutputRequest>;
  /** Emits the answer so far after each event that adds to it. For the events of one turn. */
  withDeltas(emit: Emit, mode: OutputMode): Emit;
  /**
   * Returns a reply with the answer of a call as its text, if the call must not run and gave the whole answer. Called
   * for each reply without calls.
   */
  withDroppedAnswer<Reply extends Pick<MessageEnd, 'message' | 'finishReason' | 'droppedCalls'>>(
    run: Run,
    reply: Reply,
  ): Reply;
  /** Reads a reply as the answer. Undefined: it does not fit, and the model is asked once more. */
  readReply(run: Run, mode: OutputMode, ending: RunAnswer): Promise<RunEnding | undefined>;
  /**
   * Ends the run with the `answer` that a call gave, if the other calls of its reply succeeded; else the model is asked
   * again. Without an answer, ends it if one did not fit for the second time. Rejects with `CONFIG_INVALID` where the
   * check failed.
   */
  endOfCalls(
    run: Run,
    results: readonly (readonly [ToolCall, ToolResult])[],
    answer: string | undefined,
  ): Promise<RunEnding | undefined>;
  /** Adds the typed answer to how the run ended. Where it ended early, its text may be one that nobody has read yet. */
  complete(run: Run, ended: RunEnding): Promise<RunEnding>;
}

/** Creates the state of a run. Called where the run starts, so that it finds the call that it is started in. */
export function createRun(options: RunOptions, { signal, emit }: StepContext, output: TypedOutput | undefined): Run {
  const { limits = {}, runId } = options;
  const scope = currentScope();
  const parent = scope?.agentPath === undefined ? undefined : scope;
  const path = parent?.agentPath ?? [];
  const messages = initialHistory(options.messages, options.system);
  return {
    signal,
    emit,
    options,
    limits,
    output,
    steps: options.steps ?? (parent && innerSteps(parent)) ?? inProcessSteps,
    isChild: scope !== undefined,
    parent,
    path,
    runId: runId === undefined || scope === undefined ? runId : uniqueRunId(scope, runId),
    offered: { tools: output?.tools ?? options.tools, turn: undefined, begun: [], listed: [], repliedTurn: 0 },
    ready: new Map(),
    inbox: createInbox(options.steering),
    meter: createUsageMeter(limits, parent?.hasBudget),
    guard: undefined,
    semaphore: createSemaphore(limits.parallel),
    pauses: { text: '', last: 0, inARow: 0, emptyInARow: 0 },
    selections: undefined,
    messages,
    inputLength: messages.length,
    callIds: callIdsOf(messages),
    usage: { inputTokens: 0, outputTokens: 0 },
    turns: 0,
    hasAsyncCalls: false,
  };
}

/** Adds messages to the history. */
export function append({ messages }: Run, ...added: readonly Message[]): void {
  for (const message of added) messages.push(freezeMessage(message));
}

/** Counts what a reply, or a sub-agent, has used. */
export function countUsage(run: Run, usage: Usage | undefined): void {
  if (usage !== undefined) run.usage = addUsage(run.usage, reportedUsage(usage));
}
