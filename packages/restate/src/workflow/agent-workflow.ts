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

/** Options of `agentWorkflow`. */
export interface AgentWorkflowOptions {
  /**
   * How long an idle run stays in the memory of its worker, in milliseconds. Then it is suspended, and its steps are replayed when it continues. A longer tool
   * call is not interrupted. Default 60,000.
   */
  readonly inactivityTimeoutMs?: number | undefined;
  /** How much longer a call may take before Restate aborts the attempt, in milliseconds. Default 24 hours. */
  readonly abortTimeoutMs?: number | undefined;
  /** How long Restate keeps a finished run, in milliseconds. Default 24 hours. */
  readonly retentionMs?: number | undefined;
  /** How long a failed run can be retried, in milliseconds. Default 24 hours. */
  readonly retryWindowMs?: number | undefined;
}

/** The handlers of an agent's workflow. For the client of this package only: their arguments may change in any release. */
export interface AgentHandlers {
  run(context: restate.WorkflowContext, start: StartInput): Promise<void>;
  answer(context: restate.WorkflowSharedContext, answer: Answer): Promise<boolean>;
  signal(context: restate.WorkflowSharedContext, signal: Signal): Promise<boolean>;
  retry(context: restate.WorkflowSharedContext): Promise<boolean>;
  events(context: restate.WorkflowSharedContext, request: EventsRequest): Promise<EventPage | null>;
  outcome(context: restate.WorkflowSharedContext, request: OutcomeRequest): Promise<Outcome>;
}

/** A workflow to be served with `restate.serve({ services: [workflow] })`. */
export type AgentWorkflow<Name extends string = string> = restate.WorkflowDefinition<Name, AgentHandlers>;

const KEYS = optionKeys<AgentWorkflowOptions>({
  inactivityTimeoutMs: true,
  abortTimeoutMs: true,
  retentionMs: true,
  retryWindowMs: true,
});
const DAY_MS = 86_400_000;

/**
 * Turns an agent into a Restate workflow: `restate.serve({ services: [agentWorkflow('support', agent)] })`. Each run is one workflow, with the run's id as its
 * key. Throws `CONFIG_INVALID` for a name that Restate does not accept.
 *
 * @example
 * ```ts
 * import { run } from '@kernel/agent';
 * import { createProvider } from '@kernel/providers';
 * import { agentWorkflow, openRestate } from '@kernel/restate';
 * import * as restate from '@restatedev/restate-sdk';
 *
 * const provider = createProvider({ name: 'ollama' });
 * const helper = agentWorkflow('helper', { run: (context) => run({ provider, model: 'qwen3', ...context }) });
 * restate.serve({ services: [helper], port: 9080 });
 *
 * // Anywhere else, once the worker is registered with Restate:
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
    throw new KernelError(
      'CONFIG_INVALID',
      `agentWorkflow() was called with the invalid name ${JSON.stringify(name)}.`,
      {
        hint: 'Use letters, digits and underscores, starting with a letter: agentWorkflow("support", agent).',
      },
    );
  checkKeys('agentWorkflow', options, KEYS);
  for (const key of ['inactivityTimeoutMs', 'abortTimeoutMs', 'retentionMs', 'retryWindowMs'] as const)
    checkNumber('agentWorkflow', key, options[key], 1);
  const {
    inactivityTimeoutMs = 60_000,
    abortTimeoutMs = DAY_MS,
    retentionMs = DAY_MS,
    retryWindowMs = DAY_MS,
  } = options;
  const { shared } = restate.handlers.workflow;
  // The journals of these short handlers are of no use once they are done.
  const withoutJournal = { journalRetention: 0 };
  return restate.workflow({
    name,
    handlers: {
      run: (context: restate.WorkflowContext, start: StartInput) => executeRun(context, agent, start, retryWindowMs),
      answer: shared(withoutJournal, answerCall),
      signal: shared(withoutJournal, sendSignal),
      retry: shared(withoutJournal, retryRun),
      events: shared(withoutJournal, readEvents),
      outcome: shared(withoutJournal, readOutcome),
    },
    options: {
      inactivityTimeout: inactivityTimeoutMs,
      abortTimeout: abortTimeoutMs,
      workflowRetention: retentionMs,
      journalRetention: retentionMs,
      onJournalMismatchErrors: 'pause',
      ...(agent.maxAttempts === undefined
        ? {}
        : { retryPolicy: { maxAttempts: agent.maxAttempts, onMaxAttempts: 'pause' as const } }),
    },
  });
}
