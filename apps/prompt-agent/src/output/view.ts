import type { AgentEvent, RunEnd, ToolCall } from '@kernel/protocol';
import type { WaitsFor } from '../approval/policy.ts';
import type { Invocation } from '../invocation.ts';

export type ToolEnds = readonly Extract<AgentEvent, { type: 'tool-end' }>[];

export interface View {
  /** Shows an event; called in order. Secrets are redacted already. */
  event(event: AgentEvent): void;
  /** Shows how the run ended; called once, last. */
  end(end: RunEnd, calls: ToolEnds): void;
}

export interface ViewedTools {
  readonly changing: ReadonlySet<string>;
  /** The names of the program's own tools: if a vendor's API cannot carry a part of one, the user cannot change that, and is not warned. */
  readonly own: ReadonlySet<string>;
  readonly waitsFor: (call: ToolCall) => WaitsFor;
}

/** Whether the reply is shown as it arrives: with `--stream`, and on a terminal. */
export function isStreamed({ flags, output }: Pick<Invocation, 'flags' | 'output'>): boolean {
  if (flags.stream !== undefined) return flags.stream;
  return flags.json !== true && flags['json-lines'] !== true && output.capabilities.streams;
}
