import type { CallContext, ToolResult, ValidatedCall } from '@kernel/protocol';
import type { RawArguments } from '@kernel/schema';
import type { RepairPolicy, ToolBinding, UnknownProperties } from '../tool/binding.ts';
import type { CallEventSink } from './call-events.ts';

/** What all calls of a registry have in common. A binding's options override these. */
export interface RunnerOptions {
  /** Time limit of a handler, in milliseconds; `0` or `Infinity` means none. */
  readonly timeoutMs: number;
  /** Whether near-valid arguments are repaired. */
  readonly repair: RepairPolicy;
  /** What happens to arguments that the schema does not mention; `undefined` leaves it to the effect of each tool. */
  readonly unknownProperties: UnknownProperties | undefined;
  /** How many calls run at once in total. */
  readonly concurrency: number;
  /** How often a retryable failure of a `read` or `idempotent` tool is retried. */
  readonly retries: number;
  /** Texts that are redacted from results and events. */
  readonly secrets: readonly string[];
  /** Whether events carry arguments and results. */
  readonly detail: boolean;
  /** Receives the events of calls. */
  readonly events: CallEventSink;
  /** Shortens a result to what the model gets. */
  readonly limitResult: (result: ToolResult, binding: ToolBinding) => ToolResult;
}

/** One call to run. */
export interface CallRequest {
  /** The call's id. */
  readonly id: string;
  /** What to run. */
  readonly binding: ToolBinding;
  /** The arguments, not parsed yet. */
  readonly arguments: RawArguments;
  /** What comes with the call. */
  readonly context: CallContext;
  /** Overrides the binding's and the registry's timeout. */
  readonly timeoutMs?: number | undefined;
}

/** Runs calls. */
export interface Runner {
  /** Runs one call to its one result. Never rejects. */
  run(request: CallRequest): Promise<ToolResult>;
  /** Validates a call without running it: resolves to its failed result, or to what it would run as long as `isCurrent`. Never rejects. */
  validate(request: CallRequest, isCurrent: () => boolean): Promise<ValidatedCall | ToolResult>;
  /** Reports a call that has no binding to run, and returns its result. */
  refuse(name: string, callId: string, result: ToolResult): ToolResult;
  /** How many handlers were abandoned and still run. */
  abandoned(): number;
}
