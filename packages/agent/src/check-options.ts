import {
  checkChoice,
  checkFunctions,
  checkProvider,
  checkToolset,
  checkKeys,
  type Conversation,
  describeType,
  describeValue,
  KernelError,
  optionKeys,
  type ResponseFormat,
} from '@kernel/protocol';
import { checkApprovalTimeout } from './approval/approval.ts';
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
  if (typeof options.model !== 'string')
    throw new KernelError('CONFIG_INVALID', `run() was called with ${String(options.model)} as its model.`, {
      hint: 'Pass the name of a model.',
    });
  if (!Array.isArray(options.messages))
    throw new KernelError('CONFIG_INVALID', 'run() was called without an array of messages.', {
      hint: 'Pass messages: [{ role: "user", content: "…" }].',
    });
  const invalid = options.messages.findIndex((message: unknown) => !isMessage(message));
  if (invalid !== -1)
    throw new KernelError('CONFIG_INVALID', `messages[${invalid}] is not a message.`, {
      hint: 'A message has a role (system, user, assistant, tool) and content: a string, or an array of parts.',
    });
  if (options.tools !== undefined) checkToolset('run', options.tools);
  checkToolChoice(options.toolChoice);
  checkOutputSchema('run', options.output);
  checkResponseFormat(options.responseFormat);
  checkChoice('run', 'cache', options.cache, ['auto', 'off']);
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

const CONVERSATION_KEYS = optionKeys<Conversation>({ channel: true, chatId: true });

const FORMAT_KEYS = optionKeys<ResponseFormat>({ name: true, schema: true, strict: true });

function checkResponseFormat(format: ResponseFormat | undefined): void {
  if (format === undefined) return;
  checkKeys('run', format, FORMAT_KEYS, 'responseFormat.');
  if (typeof format.name === 'string' && typeof format.schema === 'object') return;
  throw new KernelError('CONFIG_INVALID', 'run() was called with a responseFormat without a name and a schema.', {
    hint: 'Pass { name, schema }, or a schema as "output" for an answer that is validated.',
  });
}

function checkToolChoice(choice: unknown): void {
  if (choice === undefined || choice === 'auto' || choice === 'none' || choice === 'required') return;
  if (typeof choice === 'object' && choice !== null && 'name' in choice && typeof choice.name === 'string') return;
  throw new KernelError('CONFIG_INVALID', `run() was called with ${describeValue(choice)} as its toolChoice.`, {
    hint: choice === 'any' ? 'Use "required".' : 'Pass "auto", "none", "required" or { name: "…" }.',
  });
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

function isMessage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('role' in value) || !('content' in value)) return false;
  if (!ROLES.has(value.role)) return false;
  if (Array.isArray(value.content)) return true;
  return typeof value.content === 'string' && value.role !== 'assistant';
}
