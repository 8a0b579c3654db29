import { checkKeys, checkNumber, type DurableAgent, KernelError, optionKeys } from '@kernel/protocol';
import * as restate from '@restatedev/restate-sdk';
import type { EventPage, Outcome, Signal, StartInput } from '../run-state.ts';
import { executeRun } from './execute-run.ts';
import {
  type Answer,
  answerCall,
  type EventsRequest,
  type OutcomeRequest,
  readEvents,
  readOutcome,
  retryRun,
  sendSignal,
} from './shared-handlers.ts';

/** How runs of an agent are kept by Restate. */
export interface AgentWorkflowOptions {
  /**
   * How long a run may hold memory of a worker while nothing of it happens, in milliseconds; then it is suspended, and its steps are replayed when it
   * goes on. A longer call of a tool is not interrupted. Default 60,000.
   */
  readonly inactivityMs?: number | undefined;
  /** How long a call may take beyond that before Restate takes its attempt for dead, in milliseconds. Default 24 hours. */
  readonly abortMs?: number | undefined;
  /** How long a run that is over stays readable, in milliseconds. Default 24 hours. */
  readonly retentionMs?: number | undefined;
  /** How long a run that failed waits for `retry`, in milliseconds. Default 24 hours. */
  readonly failedMs?: number | undefined;
}

/** The handlers of a workflow that runs an agent. Only the client of this package calls them: their arguments may change with any release. */
export interface AgentHandlers {
  /** Runs the agent. */
  run(context: restate.WorkflowContext, start: StartInput): Promise<void>;
  /** Answers for a call. */
  answer(context: restate.WorkflowSharedContext, answer: Answer): Promise<boolean>;
  /** Sends a signal. */
  signal(context: restate.WorkflowSharedContext, signal: Signal): Promise<boolean>;
  /** Goes on after a failure. */
  retry(context: restate.WorkflowSharedContext): Promise<boolean>;
  /** Reads events. */
  events(context: restate.WorkflowSharedContext, request: EventsRequest): Promise<EventPage | null>;
  /** Reads the result. */
  outcome(context: restate.WorkflowSharedContext, request: OutcomeRequest): Promise<Outcome>;
}

/** A workflow for `restate.serve({ services: [workflow] })`. */
export type AgentWorkflow<Name extends string = string> = restate.WorkflowDefinition<Name, AgentHandlers>;

const KEYS = optionKeys<AgentWorkflowOptions>({ inactivityMs: true, abortMs: true, retentionMs: true, failedMs: true });
const DAY_MS = 86_400_000;

/**
 * Makes an agent a workflow of Restate: `restate.serve({ services: [agentWorkflow('support', agent)] })`. Every run is one workflow, under the id that it
 * is started with. Throws `CONFIG_INVALID` for a name that Restate does not take.
 *
 * @example
 * ```ts
 * import { run } from '@kernel/agent';
 * import { createProvider } from '@kernel/providers';
 * import { agentWorkflow, openRestate } from '@kernel/restate';
 * import * as restate from '@restatedev/restate-sdk';
 *
 * const provider = createProvider({ name: 'ollama' });
 * const helper = agentWorkflow('helper', { run: (executor) => run({ provider, model: 'qwen3', ...executor }) });
 * restate.serve({ services: [helper], port: 9080 });
 *
 * // Anywhere else, once Restate knows the address of the worker:
 * const runs = openRestate({ agent: 'helper', ingressUrl: 'http://127.0.0.1:8080', adminUrl: 'http://127.0.0.1:9070' });
 * await runs.start('ticket-42', { messages: [{ role: 'user', content: 'Why is the sky blue?' }] });
 * const { status, result } = await runs.result('ticket-42');
 * ```
 */
export function agentWorkflow<const Name extends string>(
  name: Name,
  agent: DurableAgent,
  options: AgentWorkflowOptions = {},
): AgentWorkflow<Name> {
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name))
    throw new KernelError('CONFIG_INVALID', `agentWorkflow() was called with the name ${JSON.stringify(name)}.`, {
      hint: 'Take letters, digits and underscores: agentWorkflow("support", agent).',
    });
  checkKeys('agentWorkflow', options, KEYS);
  for (const key of ['inactivityMs', 'abortMs', 'retentionMs', 'failedMs'] as const)
    checkNumber('agentWorkflow', key, options[key], 1);
  const { inactivityMs = 60_000, abortMs = DAY_MS, retentionMs = DAY_MS, failedMs = DAY_MS } = options;
  const { shared } = restate.handlers.workflow;
  // Nobody looks at the journal of a question.
  const brief = { journalRetention: 0 };
  return restate.workflow({
    name,
    handlers: {
      run: (context: restate.WorkflowContext, start: StartInput) => executeRun(context, agent, start, failedMs),
      answer: shared(brief, answerCall),
      signal: shared(brief, sendSignal),
      retry: shared(brief, retryRun),
      events: shared(brief, readEvents),
      outcome: shared(brief, readOutcome),
    },
    options: {
      inactivityTimeout: inactivityMs,
      abortTimeout: abortMs,
      workflowRetention: retentionMs,
      journalRetention: retentionMs,
      onJournalMismatchErrors: 'pause',
      ...(agent.maxAttempts === undefined
        ? {}
        : { retryPolicy: { maxAttempts: agent.maxAttempts, onMaxAttempts: 'pause' as const } }),
    },
  });
}
