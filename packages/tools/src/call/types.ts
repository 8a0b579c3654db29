import type { CallContext, PreparedCall, ToolResult } from '@kernel/protocol';
import type { RawArguments, ValidationPolicy } from '@kernel/schema';
import type { RepairPolicy, ToolBinding, UnknownProperties } from '../tool/binding.ts';
import type { CallEventSink } from './call-events.ts';

/** The options of all calls of a registry. A binding's options override these. */
export interface RunnerOptions {
  /** Time limit of a handler, in milliseconds; `0` or `Infinity` means none. */
  readonly timeoutMs: number;
  readonly repair: RepairPolicy;
  /** What happens to arguments that the schema does not mention; `undefined` leaves it to the effect of each tool. */
  readonly unknownProperties: UnknownProperties | undefined;
  readonly concurrency: number;
  /** How often a retryable failure of a `read` or `idempotent` tool is retried. */
  readonly retries: number;
  readonly secrets: readonly string[];
  readonly detail: boolean;
  readonly events: CallEventSink;
  /** How many characters of a result the model gets; 0 means all. */
  readonly resultLimit: number;
  readonly limitResult: (result: ToolResult, limit: number) => ToolResult;
}

/** The options of a tool, completed by those of its registry. */
export interface CallPlan {
  readonly timeoutMs: number;
  readonly policy: ValidationPolicy;
  readonly retries: number;
  /** Whether calls of the tool may have to wait for others, or be made again. */
  readonly isQueued: boolean;
  /** How many characters of a result the model gets; 0 means all. */
  readonly resultLimit: number;
}

export interface CallRequest {
  readonly id: string;
  readonly binding: ToolBinding;
  /** The arguments, not parsed yet. */
  readonly arguments: RawArguments;
  readonly context: CallContext;
  readonly plan: CallPlan;
  /** Time limit of its handler, in milliseconds; `0` or `Infinity` means none. */
  readonly timeoutMs: number;
  /** Called when it begins to run. */
  readonly onRun?: (() => void) | undefined;
}

export interface Runner {
  planOf(binding: ToolBinding): CallPlan;
  /** Makes of a call what would run, or its failed result. A promise only where a schema library, another toolset or a check has one. Never throws or rejects. */
  prepare(request: CallRequest): PreparedCall | ToolResult | Promise<PreparedCall | ToolResult>;
  /** Reports a call that has no binding to run, and returns its result. */
  refuse(name: string, callId: string, result: ToolResult): ToolResult;
  /** How many handlers were abandoned and still run. */
  abandoned(): number;
}
