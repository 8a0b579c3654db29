import { type KeysOf, optionKeys } from '@kernel/protocol';
import type { RunOptions } from './options.ts';

/** What an inner run takes: of a sub-agent, or of a member of a team. Its history, signal and conversation come from the outer run. */
export type InnerRunOptions<Context = unknown, Output = unknown> = Omit<
  RunOptions<Context, Output>,
  'messages' | 'signal' | 'conversation' | 'context'
>;

const INNER: KeysOf<InnerRunOptions> = {
  provider: true,
  model: true,
  tools: true,
  system: true,
  options: true,
  toolChoice: true,
  output: true,
  responseFormat: true,
  cache: true,
  prepareTurn: true,
  limits: true,
  runId: true,
  approve: true,
  approvalTimeoutMs: true,
  steering: true,
  steps: true,
  stream: true,
};

export const RUN: KeysOf<RunOptions> = { ...INNER, messages: true, signal: true, conversation: true, context: true };

export const RUN_KEYS = optionKeys<RunOptions>(RUN);

export const INNER_RUN_KEYS = optionKeys<InnerRunOptions>(INNER);
