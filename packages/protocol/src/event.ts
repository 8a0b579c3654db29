import type { KernelError } from './error.ts';
import type { AssistantMessage, FinishReason, Message, Usage } from './message.ts';
import type { ToolResult } from './result.ts';
import type { PendingCall } from './pending.ts';
import type { Tool, ToolCall } from './tool.ts';

/** An event of one reply. Exactly one `message-end` is emitted, as the last event. */
export type ProviderEvent = TextDelta | ReasoningDelta | ToolCallDelta | MessageEnd;

/** A piece of the reply's text. */
export interface TextDelta {
  readonly type: 'text-delta';
  /** The new piece, to be appended. */
  readonly text: string;
}

/** A piece of the model's visible reasoning. */
export interface ReasoningDelta {
  readonly type: 'reasoning-delta';
  /** The new piece, to be appended. */
  readonly text: string;
}

/** A piece of a call, for display only: never run it. The complete calls are in `message-end`. */
export interface ToolCallDelta {
  readonly type: 'tool-call-delta';
  /** The position of the call in the reply, from 0, in order of appearance. */
  readonly index: number;
  /** The id of the call, as soon as it is known. */
  readonly id?: string;
  /** The name of the tool, as soon as it is known. */
  readonly name?: string;
  /** The new piece of argument text; may be empty. */
  readonly arguments: string;
}

/** The end of a reply, with the complete message. */
export interface MessageEnd {
  readonly type: 'message-end';
  /** The reply. It has no calls if the reply was cut, filtered or stopped by length. */
  readonly message: AssistantMessage;
  /** Why the reply ended. */
  readonly finishReason: FinishReason;
  /** The tokens of this reply, if the vendor reports them. */
  readonly usage?: Usage;
  /** Calls that must not run: of a reply that was cut, filtered or stopped by length, or that its vendor began anew in the same stream. */
  readonly droppedCalls?: readonly DroppedCall[];
  /** What the provider had to change in the request or leave out of it. */
  readonly warnings?: readonly ProviderWarning[];
}

/** A call that the model began and that must not run. */
export interface DroppedCall {
  /** The id of the call. */
  readonly id: string;
  /** The name of the tool, as far as it had arrived. */
  readonly name: string;
  /** The argument text so far; usually not valid JSON. */
  readonly arguments: string;
  /** Why it was dropped: the reply's finish reason, or `other` for a call of a beginning that the vendor gave up. */
  readonly reason: FinishReason;
}

/** Something in a request that a vendor's API could not carry as asked. */
export interface ProviderWarning {
  /** What was changed or left out. */
  readonly message: string;
  /** The name of the tool concerned. */
  readonly tool?: string;
  /** A JSON pointer into the tool's schema. */
  readonly path?: string;
}

/** An event of a run: the provider's events and the run's own, in one union on `type`. */
export type AgentEvent =
  | ProviderEvent
  | TurnStart
  | TurnEnd
  | ToolStart
  | ToolProgress
  | ToolEnd
  | ToolComplete
  | ApprovalRequest
  | Steer
  | RunEnd;

/** The start of a turn: one model call and the tool calls that it asks for. */
export interface TurnStart {
  readonly type: 'turn-start';
  /** The number of the turn, from 1. */
  readonly turn: number;
  /** The tools on offer: the same frozen objects as in `Toolset.list()`. */
  readonly tools: readonly Tool[];
}

/** The end of a turn, after its results have joined the history. */
export interface TurnEnd {
  readonly type: 'turn-end';
  /** The number of the turn, from 1. */
  readonly turn: number;
}

/** The start of a call. */
export interface ToolStart {
  readonly type: 'tool-start';
  /** The call, as the model made it. */
  readonly call: ToolCall;
}

/** A progress report of a running tool. */
export interface ToolProgress {
  readonly type: 'tool-progress';
  /** The id of the call. */
  readonly callId: string;
  /** The tool's report, in its own words. */
  readonly update: string;
}

/** The end of a call. There is exactly one for each `tool-start`. */
export interface ToolEnd {
  readonly type: 'tool-end';
  /** The call, as the model made it. */
  readonly call: ToolCall;
  /** The result that joins the history. */
  readonly result: ToolResult;
  /** The time from start to end, in milliseconds. */
  readonly durationMs: number;
}

/** The late outcome of an async tool. */
export interface ToolComplete {
  readonly type: 'tool-complete';
  /** The id of the call. */
  readonly callId: string;
  /** The outcome. */
  readonly result: ToolResult;
}

/** A call that waits for a decision. */
export interface ApprovalRequest {
  readonly type: 'approval-request';
  /** The call to decide on; its `arguments` are those that the handler would get. */
  readonly call: ToolCall;
  /** The tool that it would run. */
  readonly tool: Tool;
}

/** Messages from outside that have joined the history. */
export interface Steer {
  readonly type: 'steer';
  /** The messages, in order. */
  readonly messages: readonly Message[];
}

/** The end of a run: the last event, exactly once on every path. A union on `reason`. */
export type RunEnd = RunDone | RunStopped | RunLimited | RunPending | RunFailed;

/** What every end of a run reports. */
export interface RunTotals {
  readonly type: 'run-end';
  /** How many model calls were made. */
  readonly turns: number;
  /** The whole history. Every call has exactly one result, except those that wait with reason `approval`. */
  readonly messages: readonly Message[];
  /** The tokens of all turns together. */
  readonly usage: Usage;
}

/** The model answered (`done`), or a hook ended the run with an answer (`handled`). */
export interface RunDone extends RunTotals {
  /** Whether the model or a hook gave the answer. */
  readonly reason: 'done' | 'handled';
  /** The text of the answer. */
  readonly answer: string;
}

/** The reply was cut by length or a filter, a loop was detected, or the caller aborted. */
export interface RunStopped extends RunTotals {
  /** What stopped the run. */
  readonly reason: 'length' | 'filtered' | 'loop' | 'aborted';
  /** The text so far, if there is any. */
  readonly answer?: string;
}

/** A limit was reached. */
export interface RunLimited extends RunTotals {
  readonly reason: 'limit';
  /** The limit that was reached. */
  readonly limit: RunLimit;
  /** The text so far, or that of the closing turn. */
  readonly answer?: string;
}

/** Calls wait for a decision. A later run continues from `messages`, where the decisions that were made already are kept. */
export interface RunPending extends RunTotals {
  readonly reason: 'approval';
  /** The calls that need a decision, in order, also those of agents that run as tools. */
  readonly pending: readonly PendingCall[];
}

/** The provider failed, or a part of the loop did. */
export interface RunFailed extends RunTotals {
  readonly reason: 'error';
  /** What failed. */
  readonly error: KernelError;
}

/** The limit that ended a run. */
export type RunLimit = 'turns' | 'callsPerTool' | 'tokens' | 'cost' | 'time';
