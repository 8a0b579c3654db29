import { type AgentEvent, KernelError, type RunEnd, type ToolCall, type ToolResult } from '@kernel/protocol';

/** One call of a run and what came of it. */
export interface CallRecord {
  readonly call: ToolCall;
  readonly result: ToolResult;
  readonly durationMs: number;
}

/** The end of a run and the calls it made, in the order in which they ended. A union on `reason`, as `RunEnd`. */
export type RunResult = RunEnd extends infer E
  ? E extends RunEnd
    ? Omit<E, 'type'> & { readonly toolCalls: readonly CallRecord[] }
    : never
  : never;

/**
 * Reads a run to its end and resolves to its result, whatever the reason; a failed run resolves too.
 *
 * Rejects with what the run throws (`LIMIT_REACHED`, by option), and with `PROVIDER_PROTOCOL` when there was no `run-end`.
 */
export async function collect(events: AsyncIterable<AgentEvent>): Promise<RunResult> {
  const toolCalls: CallRecord[] = [];
  let end: RunEnd | undefined;
  for await (const event of events) {
    if (event.type === 'tool-end')
      toolCalls.push({ call: event.call, result: event.result, durationMs: event.durationMs });
    else if (event.type === 'run-end') end = event;
  }
  if (end === undefined) throw new KernelError('PROVIDER_PROTOCOL', 'The events ended without a run-end.');
  const { type: _type, ...rest } = end;
  return { ...rest, toolCalls };
}
