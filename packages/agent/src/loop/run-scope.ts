import { type AsyncStorage, createAsyncStorage } from '@kernel/internal';
import {
  addUsage,
  type Approve,
  type Emit,
  type PendingCall,
  type StepExecutor,
  type SuspendedAgent,
  type Usage,
  withPrefix,
} from '@kernel/protocol';
import type { Inbox } from './inbox.ts';

/** What a call can learn about the run that makes it, for sub-agents. */
export interface RunScope {
  /** How many runs deep the call is: 1 for a call of the outermost run. */
  readonly depth: number;
  /** The ids of the calls of sub-agents that the call is in, outermost first, and its own. */
  readonly path: readonly string[];
  /** The path of the child runs that start here; absent where no sub-agent has started. */
  readonly agentPath?: readonly string[];
  /** Passes the events of child runs on to the reader of the run that makes the call. */
  readonly emit: Emit;
  /** Whether a limit of tokens or cost holds for the run, so that what is not reported is to be estimated. */
  readonly hasBudget: boolean;
  /** The approval of the run, for its child runs. */
  readonly approve: Approve | undefined;
  /** How long a decision may take. */
  readonly approvalTimeoutMs: number | undefined;
  /** Where the steps of child runs are executed, and the id of the call's own; undefined where they are not executed one by one. */
  readonly steps: { readonly executor: StepExecutor; readonly id: string } | undefined;
  /** Gets what child runs use after the call has ended. */
  readonly inbox: Inbox;
  /** What the child runs of the call have done so far: the same object for all of them. */
  readonly children: ChildRuns;
}

/** What the child runs of a call have done. */
export interface ChildRuns {
  /** Whether the call has ended. */
  callHasEnded: boolean;
  /** What they have used. */
  usage: Usage | undefined;
  /** What they have used by estimate, beyond that. */
  estimated: Usage | undefined;
  /** How many of them execute their steps in the executor of the run that makes the call. */
  recordedRuns: number;
  /** How many there are of each id. */
  runIds: Map<string, number> | undefined;
  /** The sub-agents that were pending at the end of an earlier run of the call, and have not gone on yet. */
  readonly suspended: SuspendedAgent[];
  /** The sub-agents with pending calls: the call is then pending too. */
  readonly agents: SuspendedAgent[];
  /** The pending calls of these sub-agents. */
  readonly pending: PendingCall[];
}

// Symbol.for: a tool of one installed copy of this package runs its agents within the run of another, under the approval of that run.
const SCOPES = Symbol.for('@kernel/agent/runScopes');

let ownScopes: AsyncStorage<RunScope> | undefined;

/** The scopes of the calls that are running: one store for all copies of this package in a process, made by the first that needs it. */
function scopes(): AsyncStorage<RunScope> {
  if (ownScopes !== undefined) return ownScopes;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this function sets it
  ownScopes = (Reflect.get(globalThis, SCOPES) as AsyncStorage<RunScope> | undefined) ?? createAsyncStorage<RunScope>();
  Reflect.set(globalThis, SCOPES, ownScopes);
  return ownScopes;
}

/** Returns the scope of the call that is running, or undefined outside of a call. */
export function currentScope(): RunScope | undefined {
  return scopes().getStore();
}

/** Runs a call in a scope of its own. What its child runs use after `callHasEnded` reaches the inbox. */
export function runInScope<T>(scope: RunScope, call: () => Promise<T>): Promise<T> {
  return scopes().run(scope, call);
}

/** Starts the run of a sub-agent within the call that is running. */
export function runAsAgent<T>(work: () => T): T {
  const scope = currentScope();
  return scope === undefined ? work() : scopes().run({ ...scope, agentPath: scope.path }, work);
}

/** Adds what a child run has used, and what it has used by estimate beyond that. */
export function addChildUsage({ children, inbox }: RunScope, usage: Usage | undefined, estimated?: Usage): void {
  const to = children.callHasEnded ? inbox : children;
  to.usage = sumOf(to.usage, usage);
  to.estimated = sumOf(to.estimated, estimated);
}

function sumOf(usage: Usage | undefined, more: Usage | undefined): Usage | undefined {
  return usage === undefined || more === undefined ? (usage ?? more) : addUsage(usage, more);
}

/**
 * Adds what the call that is running has used to the usage of its run, beyond what its sub-agents have: for a handler that pays for a model by itself. What comes after
 * the call counts too, as long as the run goes on. Does nothing outside of a call.
 */
export function addCallUsage(usage: Usage): void {
  const scope = currentScope();
  if (scope !== undefined) addChildUsage(scope, usage);
}

/** Returns an id for a child run that no other run of the call has: the second of one id is `<id>#2`. The same for every attempt at the call. */
export function uniqueRunId({ children }: RunScope, runId: string): string {
  const runIds = (children.runIds ??= new Map<string, number>());
  const count = (runIds.get(runId) ?? 0) + 1;
  runIds.set(runId, count);
  return count === 1 ? runId : `${runId}#${count}`;
}

/** Returns the executor for the steps of a child run, which no other run of the call shares; undefined where the steps of the call are not executed one by one. */
export function innerSteps({ steps, children }: RunScope): StepExecutor | undefined {
  if (steps === undefined || children.callHasEnded) return undefined;
  const { executor, id } = steps;
  children.recordedRuns += 1;
  return withPrefix(executor, children.recordedRuns === 1 ? `${id}/` : `${id}#${children.recordedRuns}/`);
}

/** Returns the messages of a sub-agent that was pending at the end of an earlier run of the call, once. */
export function takeMessages(
  { children: { suspended } }: RunScope,
  name: string,
  task: string,
): SuspendedAgent['messages'] | undefined {
  const index = suspended.findIndex((agent) => agent.name === name && agent.task === task);
  return index === -1 ? undefined : suspended.splice(index, 1)[0]?.messages;
}

// Not a field of the request: a provider that sends what it gets, or a log of requests, must not see the context.
const contexts = createAsyncStorage<unknown>();

/** Returns the `context` of the run whose request is being streamed; undefined outside of a run. */
export function requestContext(): unknown {
  return contexts.getStore();
}

/** Streams a request of a run. Costs nothing where neither it nor a parent run has a context. */
export function withRequestContext<T>(context: unknown, stream: () => T): T {
  return context === undefined && contexts.getStore() === undefined ? stream() : contexts.run(context, stream);
}
