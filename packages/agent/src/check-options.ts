import {
  checkFunctions,
  checkProvider,
  checkToolset,
  checkKeys,
  type Conversation,
  describeType,
  KernelError,
  optionKeys,
} from '@kernel/protocol';
import { checkApprovalTimeout } from './approval/approval.ts';
import { checkRequestFields, type FieldSource } from './check-request.ts';
import { checkLimits } from './limits/run-limits.ts';
import { checkOutputSchema } from './output/output-schema.ts';
import { RUN_KEYS } from './option-keys.ts';
import type { RunOptions } from './options.ts';

/** Throws `CONFIG_INVALID` for options that no run can start with. */
export function checkRunOptions(options: RunOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new KernelError('CONFIG_INVALID', 'run() was called without options.', {
      hint: 'Pass { provider, model, messages }.',
    });
  checkKeys('run', options, RUN_KEYS);
  checkProvider('run', options.provider);
  const model: unknown = options.model;
  if (model === undefined)
    throw new KernelError('CONFIG_INVALID', 'run() was called with undefined as its model.', {
      hint: 'Pass the name of a model.',
    });
  if (!Array.isArray(options.messages))
    throw new KernelError('CONFIG_INVALID', 'run() was called without an array of messages.', {
      hint: 'Pass messages: [{ role: "user", content: "…" }].',
    });
  checkRequestFields(SOURCE, options);
  if (options.tools !== undefined) checkToolset('run', options.tools);
  checkOutputSchema('run', options.output);
  checkFunctions('run', { prepareTurn: options.prepareTurn });
  if (options.conversation !== undefined) checkKeys('run', options.conversation, CONVERSATION_KEYS, 'conversation.');
  if (options.approve !== undefined && typeof options.approve !== 'function')
    throw new KernelError('CONFIG_INVALID', `run() was called with ${describeType(options.approve)} as approve.`, {
      hint: 'Pass a function: async ({ call, tool }) => ({ decision: "allow" }).',
    });
  const runId: unknown = options.runId;
  if (runId !== undefined && (typeof runId !== 'string' || runId === ''))
    throw new KernelError('CONFIG_INVALID', `run() was called with ${describeType(runId)} as runId.`, {
      hint: 'Pass a non-empty string, the same for every attempt at the run, or leave it out.',
    });
  checkApprovalTimeout(options.approvalTimeoutMs);
  checkLimits(options.limits ?? {});
}

const SOURCE: FieldSource = { owner: 'run', gave: 'run() was called with' };
const CONVERSATION_KEYS = optionKeys<Conversation>({ channel: true, chatId: true });
