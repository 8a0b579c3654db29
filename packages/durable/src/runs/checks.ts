import {
  checkCallId,
  checkChoice,
  checkDate,
  checkKeys,
  checkMessages,
  checkNumber,
  checkRunId,
  checkText,
  KernelError,
  optionKeys,
  RUN_STATUSES,
} from '@kernel/protocol';
import type { DurableRunFilter, DurableStartOptions } from '../types.ts';

type RetryOptions = { readonly version?: string | undefined };

export const MAX_ID = 500;

const START = optionKeys<DurableStartOptions>({
  agent: true,
  messages: true,
  version: true,
  input: true,
  at: true,
  deadline: true,
});

export function checkId(verb: string, id: unknown): void {
  checkRunId(verb, id, MAX_ID);
}

export function checkStart(id: unknown, options: DurableStartOptions): void {
  checkId('start', id);
  checkKeys('start', options, START);
  const { agent }: { readonly agent: unknown } = options;
  if (typeof agent !== 'string' || agent === '')
    throw new KernelError('CONFIG_INVALID', `start(${JSON.stringify(id)}) was called without the name of an agent.`, {
      hint: 'Pass { agent: "support" }, as in work({ agents: { support } }).',
    });
  checkMessages(`start(${JSON.stringify(id)})`, options.messages);
  checkText('start', 'version', options.version);
  checkDate(`start(${JSON.stringify(id)})`, 'at', options.at);
  checkDate(`start(${JSON.stringify(id)})`, 'deadline', options.deadline);
}

export function checkFilter(filter: DurableRunFilter): void {
  checkChoice('list', 'status', filter.status, RUN_STATUSES);
  checkText('list', 'agent', filter.agent);
  checkNumber('list', 'limit', filter.limit, 1);
}

export function checkRetry(options: RetryOptions): void {
  checkText('retry', 'version', options.version);
}

export function checkCall(verb: string, id: unknown, callId: unknown): void {
  checkId(verb, id);
  checkCallId(verb, callId);
}
