import {
  type AgentEvent,
  KernelError,
  type ProviderWarning,
  type RunEnd,
  type ToolCall,
  type ToolResult,
} from '@kernel/protocol';
import { readAll } from './iteration/read-all.ts';

/** A call of a run that has ended. */
export interface FinishedCall {
  /** The call as it ran. */
  readonly call: ToolCall;
  /** Its result, as in the `tool-end` event. */
  readonly result: ToolResult;
  /** How long it took. */
  readonly durationMs: number;
}

/** The end of a run and its calls, in the order in which they ended. A union on `reason`, like `RunEnd`. */
export type RunResult<Output = unknown> =
  RunEnd<Output> extends infer E
    ? E extends RunEnd<Output>
      ? Omit<E, 'type'> & {
          /** The calls that have ended, in the order in which they ended. */
          readonly toolCalls: readonly FinishedCall[];
          /** What providers had to change in requests or leave out of them, each once. */
          readonly warnings: readonly ProviderWarning[];
        }
      : never
    : never;

/**
 * Reads a run to its end and resolves to its result, whatever the reason; a failed run resolves too.
 *
 * Rejects with what the run throws (`LIMIT_REACHED`, by option), and with `PROVIDER_PROTOCOL` if there was no `run-end`.
 *
 * @example
 * ```ts
 * import { collect, run } from '@kernel/agent';
 * import { createProvider } from '@kernel/providers';
 *
 * const messages = [{ role: 'user', content: 'Why is the sky blue?' }] as const;
 * const result = await collect(run({ provider: createProvider({ name: 'ollama' }), model: 'qwen3', messages }));
 * if (result.reason === 'done') console.log(result.answer);
 * ```
 */
export async function collect<Output = unknown>(events: AsyncIterable<AgentEvent<Output>>): Promise<RunResult<Output>> {
  const toolCalls: FinishedCall[] = [];
  const warnings = new Map<string, ProviderWarning>();
  let end: RunEnd<Output> | undefined;
  await readAll(events, (event) => {
    if (event.type === 'tool-end') {
      const { call, result, durationMs } = event;
      // A call that waits for a decision has no result yet.
      if (result.outcome !== 'pending') toolCalls.push({ call, result, durationMs });
    } else if (event.type === 'message-end')
      for (const warning of event.warnings ?? []) warnings.set(JSON.stringify(warning), warning);
    else if (event.type === 'run-end') end = event;
  });
  if (end === undefined) throw new KernelError('PROVIDER_PROTOCOL', 'The events ended without a run-end.');
  const { type: _type, ...rest } = end;
  const result: unknown = { ...rest, toolCalls, warnings: [...warnings.values()] };
  // The type of a rest of a generic union is not computed.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return result as RunResult<Output>;
}
