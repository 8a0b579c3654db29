import { createAsyncStorage } from '@kernel/internal';
import {
  type Emit,
  type StepExecutor,
  withPrefix,
  addUsage,
  type PendingCall,
  type SuspendedAgent,
  type Usage,
  type Approve,
} from '@kernel/protocol';

/** What the calls of a run inherit from it. */
export interface RunInheritance {
  /** Whether a limit of tokens or cost holds for the run, so that what is not reported is to be estimated. */
  readonly hasBudget: boolean;
  /** The approval of the run, for the runs below it. */
  readonly approve: Approve | undefined;
  /** How long a decision may take. */
  readonly approvalTimeoutMs: number | undefined;
}

/** What a call can learn about the run that makes it, for sub-agents. */
export interface RunScope extends RunInheritance {
  /** The number of nested runs around the call: 1 for a call of the outermost run. */
  readonly depth: number;
  /** The ids of the calls of agents around the call, and its own, outermost first. */
  readonly path: readonly string[];
  /** The path of the runs that start here; absent where no agent has started. */
  readonly agentPath?: readonly string[];
  /** Takes the events of runs below, for the reader of the run that makes the call. */
  readonly emit: Emit;
  /** Adds what a run below has used. */
  addUsage(usage: Usage): void;
  /** Adds what a run below has used by estimate, where its provider reported nothing. */
  addEstimate(estimated: Usage): void;
  /** Returns an id for a run below that no other run of the call has: the second of one id is `<id>#2`. The same for every attempt at the call. */
  uniqueRunId(runId: string): string;
  /** Returns the executor for the steps of a run below, which no other run of the call shares; undefined where the steps of the call are not executed one by one. */
  innerSteps(): StepExecutor | undefined;
  /** Returns the messages of an agent that waited for a decision in an earlier run of the call, once. */
  takeMessages(name: string, task: string): SuspendedAgent['messages'] | undefined;
  /** Keeps an agent that waits for a decision: the call then waits too. */
  suspend(agent: SuspendedAgent, pending: readonly PendingCall[]): void;
}

/** What a call that is run in a scope belongs to. */
export interface ScopedCall extends RunInheritance {
  /** Takes the events of runs below. */
  readonly emit: Emit;
  /** The path of the call. */
  readonly path: readonly string[];
  /** Executes the steps of runs below. */
  readonly steps: { readonly executor: StepExecutor; readonly id: string } | undefined;
  /** The agents that waited in an earlier run of the call. */
  readonly agents: readonly SuspendedAgent[];
  /** Gets what runs below the call use after it has ended. */
  readonly onLateUsage: (usage: Usage) => void;
  /** The same for what is estimated. */
  readonly onLateEstimate: (estimated: Usage) => void;
}

/** What is known once a call in a scope has ended. */
export interface ScopedOutput<T> {
  /** What the call returned. */
  readonly output: T;
  /** What runs below it have used. */
  readonly usage: Usage | undefined;
  /** What they have used by estimate, beyond that. */
  readonly estimated: Usage | undefined;
  /** The agents that wait for a decision now. */
  readonly agents: readonly SuspendedAgent[];
  /** The calls of these agents that need one. */
  readonly pending: readonly PendingCall[];
}

const scopes = createAsyncStorage<RunScope>();

/** Returns the scope of the call that is running, or undefined outside of a call. */
export function currentScope(): RunScope | undefined {
  return scopes.getStore();
}

/** Returns the ids of the calls around the run that is starting, if it is the run of an agent. */
export function currentAgentPath(): readonly string[] {
  return currentScope()?.agentPath ?? [];
}

/** Returns the scope of the call whose agent the run is that is starting. */
export function currentAgentScope(): RunScope | undefined {
  const scope = currentScope();
  return scope?.agentPath === undefined ? undefined : scope;
}

/** Starts the run of an agent within the call that is running. */
export function runAsAgent<T>(work: () => T): T {
  const scope = currentScope();
  return scope === undefined ? work() : scopes.run({ ...scope, agentPath: scope.path }, work);
}

/** Runs a call in a scope of its own. */
export async function runInScope<T>(scoped: ScopedCall, call: () => Promise<T>): Promise<ScopedOutput<T>> {
  const outer = currentScope();
  const waiting = [...scoped.agents];
  const agents: SuspendedAgent[] = [];
  const pending: PendingCall[] = [];
  const runs = new Map<string, number>();
  let innerRuns = 0;
  let usage: Usage | undefined;
  let estimated: Usage | undefined;
  let hasEnded = false;
  const scope: RunScope = {
    depth: (outer?.depth ?? 0) + 1,
    path: scoped.path,
    emit: scoped.emit,
    hasBudget: scoped.hasBudget,
    approve: scoped.approve ?? outer?.approve,
    approvalTimeoutMs: scoped.approvalTimeoutMs ?? outer?.approvalTimeoutMs,
    addUsage: (more) => {
      if (hasEnded) scoped.onLateUsage(more);
      else usage = usage === undefined ? more : addUsage(usage, more);
    },
    addEstimate: (more) => {
      if (hasEnded) scoped.onLateEstimate(more);
      else estimated = estimated === undefined ? more : addUsage(estimated, more);
    },
    uniqueRunId(runId) {
      const count = (runs.get(runId) ?? 0) + 1;
      runs.set(runId, count);
      return count === 1 ? runId : `${runId}#${count}`;
    },
    innerSteps() {
      if (scoped.steps === undefined || hasEnded) return undefined;
      const { executor, id } = scoped.steps;
      innerRuns += 1;
      return withPrefix(executor, innerRuns === 1 ? `${id}/` : `${id}#${innerRuns}/`);
    },
    takeMessages(name, task) {
      const index = waiting.findIndex((agent) => agent.name === name && agent.task === task);
      return index === -1 ? undefined : waiting.splice(index, 1)[0]?.messages;
    },
    suspend(agent, calls) {
      agents.push(agent);
      pending.push(...calls);
    },
  };
  const output = await scopes.run(scope, call);
  hasEnded = true;
  return { output, usage, estimated, agents, pending };
}
