import { type AgentEvent, KernelError, type RunEnd, type ToolCall, type ToolResult } from '@kernel/protocol';

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
export type RunResult = RunEnd extends infer E
  ? E extends RunEnd
    ? Omit<E, 'type'> & { readonly toolCalls: readonly FinishedCall[] }
    : never
  : never;

/**
 * Reads a run to its end and resolves to its result, whatever the reason; a failed run resolves too.
 *
 * Rejects with what the run throws (`LIMIT_REACHED`, by option), and with `PROVIDER_PROTOCOL` if there was no `run-end`.
 */
export async function collect(events: AsyncIterable<AgentEvent>): Promise<RunResult> {
  const toolCalls: FinishedCall[] = [];
  let end: RunEnd | undefined;
  for await (const event of events) {
    // A call that waits for a decision has no result yet.
    if (event.type === 'tool-end' && event.result.outcome !== 'pending')
      toolCalls.push({ call: event.call, result: event.result, durationMs: event.durationMs });
    else if (event.type === 'run-end') end = event;
  }
  if (end === undefined) throw new KernelError('PROVIDER_PROTOCOL', 'The events ended without a run-end.');
  const { type: _type, ...rest } = end;
  return { ...rest, toolCalls };
}
