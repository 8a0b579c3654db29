import { KernelError, type Message, type ModelOptions, type Provider, type Toolset } from '@kernel/protocol';
import { collect, type RunResult } from '../collect.ts';
import { run } from '../run.ts';

/** The configuration of `runToolLoop`. */
export interface ToolLoopConfig {
  /** Where requests are sent. */
  readonly provider: Provider;
  /** The name of the model. */
  readonly model: string;
  /** Absent means no tools. */
  readonly tools?: Toolset | undefined;
  /** Model calls. Default 25; 0 means no limit. */
  readonly maxIterations?: number | undefined;
  /** Model options, such as `max_tokens` and `temperature`. */
  readonly options?: ModelOptions | undefined;
  /** Aborts the loop. */
  readonly signal?: AbortSignal | undefined;
}

/** What `runToolLoop` resolves to. */
export interface ToolLoopResult {
  /** The answer, or the text so far if the loop was stopped. */
  readonly content: string;
  /** The number of model calls. */
  readonly iterations: number;
}

/**
 * Alternates between the model and the tools until the model answers or `maxIterations` is reached.
 *
 * Throws the provider's error and the reason of an abort. In a new program use `run`, which also gives events, the reason of the end, the
 * history and usage.
 *
 * @example
 * ```ts
 * import { runToolLoop } from '@kernel/agent/compat';
 * import { createProvider } from '@kernel/providers';
 * import { createRegistry } from '@kernel/tools';
 *
 * const provider = createProvider({ name: 'ollama' });
 * const { content } = await runToolLoop({ provider, model: 'qwen3', tools: createRegistry() }, [
 *   { role: 'user', content: 'Why is the sky blue?' },
 * ]);
 * ```
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
