import { type JsonObject, KernelError, type Message, type Provider, type Toolset } from '@kernel/protocol';
import { collect, type RunResult } from '../collect.ts';
import { run } from '../run.ts';

/** The config of seed 002's loop. */
export interface ToolLoopConfig {
  readonly provider: Provider;
  readonly model: string;
  /** Absent means no tools. */
  readonly tools?: Toolset | undefined;
  /** Model calls. Default 25; 0 means none. */
  readonly maxIterations?: number | undefined;
  /** Such as `max_tokens` and `temperature`. */
  readonly options?: JsonObject | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The outcome of seed 002's loop. */
export interface ToolLoopResult {
  /** The final text; the text so far where the run was stopped. */
  readonly content: string;
  /** Model calls made. */
  readonly iterations: number;
}

/**
 * Seed 002's `RunToolLoop`: alternates between the model and the tools until the model answers or `maxIterations` is reached.
 *
 * Throws the provider's error, and the abort's reason. `run` tells more: events, the reason, the history, usage.
 */
export async function runToolLoop(
  config: ToolLoopConfig,
  messages: readonly Message[],
  channel = '',
  chatId = '',
): Promise<ToolLoopResult> {
  const { provider, model, tools, maxIterations, options, signal } = config;
  const conversation = channel === '' && chatId === '' ? undefined : { channel, chatId };
  const limits = { turns: maxIterations };
  const result = await collect(run({ provider, model, messages, tools, options, limits, conversation, signal }));
  if (result.reason === 'error') throw result.error;
  if (result.reason === 'aborted') signal?.throwIfAborted();
  return { content: contentOf(result), iterations: result.turns };
}

function contentOf(result: RunResult): string {
  if (result.reason === 'error' || result.reason === 'approval')
    throw new KernelError('LIMIT_REACHED', `The loop ended with reason ${result.reason}.`);
  return result.answer ?? '';
}
