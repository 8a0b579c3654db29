import { createAsyncStorage } from '@kernel/internal';
import {
  type Approve,
  type Emit,
  type PendingCall,
  type StepExecutor,
  type SuspendedAgent,
  type Usage,
  withPrefix,
} from '@kernel/protocol';
import { addLateUsage, type Inbox, sumOf } from './inbox.ts';

/** What a call can learn about the run that makes it, for sub-agents. */
export interface RunScope {
  /** The number of nested runs around the call: 1 for a call of the outermost run. */
  readonly depth: number;
  /** The ids of the calls of agents around the call, and its own, outermost first. */
  readonly path: readonly string[];
  /** The path of the runs that start here; absent where no agent has started. */
  readonly agentPath?: readonly string[];
  /** Takes the events of runs below, for the reader of the run that makes the call. */
  readonly emit: Emit;
  /** Whether a limit of tokens or cost holds for the run, so that what is not reported is to be estimated. */
  readonly hasBudget: boolean;
  /** The approval of the run, for the runs below it. */
  readonly approve: Approve | undefined;
  /** How long a decision may take. */
  readonly approvalTimeoutMs: number | undefined;
  /** Where the steps of runs below are executed, and the id of the call's own; undefined where they are not executed one by one. */
  readonly steps: { readonly executor: StepExecutor; readonly id: string } | undefined;
  /** Gets what runs below use after the call has ended. */
  readonly inbox: Inbox;
  /** What the runs below have done so far: the same object for all of them. */
  readonly below: RunsBelow;
}

/** What the runs below a call have done. */
export interface RunsBelow {
  /** Whether the call has ended. */
  hasEnded: boolean;
  /** What they have used. */
  usage: Usage | undefined;
  /** What they have used by estimate, beyond that. */
  estimated: Usage | undefined;
  /** How many of them execute their steps in the executor of the run that makes the call. */
  recordedRuns: number;
  /** How many there are of each id. */
  runIds: Map<string, number> | undefined;
  /** The agents that waited in an earlier run of the call, and have not gone on yet. */
  readonly waiting: SuspendedAgent[];
  /** The agents that wait for a decision now: the call then waits too. */
  readonly agents: SuspendedAgent[];
  /** The calls of these agents that need one. */
  readonly pending: PendingCall[];
}

const scopes = createAsyncStorage<RunScope>();

/** Returns the scope of the call that is running, or undefined outside of a call. */
export function currentScope(): RunScope | undefined {
  return scopes.getStore();
}

/** Runs a call in a scope of its own. What runs below it use after `hasEnded` reaches the inbox. */
export function runInScope<T>(scope: RunScope, call: () => Promise<T>): Promise<T> {
  return scopes.run(scope, call);
}

/** Starts what the runs below a call do. `waiting` are the agents that waited in an earlier run of it. */
export function createRunsBelow(waiting: readonly SuspendedAgent[] = []): RunsBelow {
  return {
    hasEnded: false,
    usage: undefined,
    estimated: undefined,
    recordedRuns: 0,
    runIds: undefined,
    waiting: [...waiting],
    agents: [],
    pending: [],
  };
}

/** Starts the run of an agent within the call that is running. */
export function runAsAgent<T>(work: () => T): T {
  const scope = currentScope();
  return scope === undefined ? work() : scopes.run({ ...scope, agentPath: scope.path }, work);
}

/** Adds what a run below has used, and what it has used by estimate beyond that. */
export function addUsageBelow({ below, inbox }: RunScope, usage: Usage | undefined, estimated?: Usage): void {
  if (below.hasEnded) return addLateUsage(inbox, usage, estimated);
  below.usage = sumOf(below.usage, usage);
  below.estimated = sumOf(below.estimated, estimated);
}

/** Returns an id for a run below that no other run of the call has: the second of one id is `<id>#2`. The same for every attempt at the call. */
export function uniqueRunId({ below }: RunScope, runId: string): string {
  const runIds = (below.runIds ??= new Map<string, number>());
  const count = (runIds.get(runId) ?? 0) + 1;
  runIds.set(runId, count);
  return count === 1 ? runId : `${runId}#${count}`;
}

/** Returns the executor for the steps of a run below, which no other run of the call shares; undefined where the steps of the call are not executed one by one. */
export function innerSteps({ steps, below }: RunScope): StepExecutor | undefined {
  if (steps === undefined || below.hasEnded) return undefined;
  const { executor, id } = steps;
  below.recordedRuns += 1;
  return withPrefix(executor, below.recordedRuns === 1 ? `${id}/` : `${id}#${below.recordedRuns}/`);
}

/** Returns the messages of an agent that waited for a decision in an earlier run of the call, once. */
export function takeMessages(
  { below: { waiting } }: RunScope,
  name: string,
  task: string,
): SuspendedAgent['messages'] | undefined {
  const index = waiting.findIndex((agent) => agent.name === name && agent.task === task);
  return index === -1 ? undefined : waiting.splice(index, 1)[0]?.messages;
}

// Not a field of the request: a provider that sends what it gets, or a log of requests, must not see the context.
const contexts = createAsyncStorage<unknown>();

/** Returns the `context` of the run whose request is being streamed; undefined outside of a run. */
export function requestContext(): unknown {
  return contexts.getStore();
}

/** Streams a request of a run. Costs nothing where neither it nor a run around it has a context. */
export function withRequestContext<T>(context: unknown, stream: () => T): T {
  return context === undefined && contexts.getStore() === undefined ? stream() : contexts.run(context, stream);
}
