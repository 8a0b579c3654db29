import {
  checkChoice,
  checkDate,
  checkKeys,
  checkMessages,
  checkNumber,
  checkRunId,
  KernelError,
  optionKeys,
  RUN_STATUSES,
  type RecordedRun,
  type RunFilter,
  type StartOptions,
} from '@kernel/protocol';
import type { RestateApiOptions } from './restate-api.ts';

/** Options of `openRestate`. */
export interface RestateOptions extends RestateApiOptions {
  /** The name of the agent, as in `agentWorkflow`. */
  readonly agent: string;
}

/** Options of `retry`. */
export interface RetryOptions {
  /** Whether a blocked run moves to the deployment registered last. Default false. */
  readonly latest?: boolean | undefined;
}

export const RESTATE = optionKeys<RestateOptions>({
  agent: true,
  ingressUrl: true,
  adminUrl: true,
  headers: true,
  fetch: true,
});
const START = optionKeys<StartOptions>({ messages: true, input: true, at: true, deadline: true });

export function noSuchRun(id: string): KernelError {
  return new KernelError('CONFIG_INVALID', `There is no run ${JSON.stringify(id)} in Restate.`, {
    hint: 'list() returns the ids of all runs of the agent.',
  });
}

export function cannotRetry({ id, status }: RecordedRun): KernelError {
  const reason = status === 'failed' ? 'it was retried already, or failed too long ago' : `it is ${status}`;
  return new KernelError('CONFIG_INVALID', `The run ${JSON.stringify(id)} cannot be retried: ${reason}.`, {
    hint: 'Only a run that failed or is blocked can be retried; a failed one within retryWindowMs.',
  });
}

export const MAX_ID = 400;

export function checkId(verb: string, id: unknown): void {
  checkRunId(verb, id, MAX_ID);
}

export function checkStart(id: unknown, options: StartOptions): void {
  checkId('start', id);
  checkKeys('start', options, START);
  checkMessages('start()', options.messages);
  checkDate('start()', 'at', options.at);
  checkDate('start()', 'deadline', options.deadline);
}

export function checkFilter(filter: RunFilter): void {
  checkChoice('list', 'status', filter.status, RUN_STATUSES);
  checkNumber('list', 'limit', filter.limit, 1);
}
