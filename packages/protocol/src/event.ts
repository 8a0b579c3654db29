import type { KernelError } from './error.ts';
import type { AssistantMessage, FinishReason, Message, Usage } from './message.ts';
import type { ToolResult } from './result.ts';
import type { Tool, ToolCall } from './tool.ts';

/** What a provider tells while a reply comes in. Exactly one `message-end`, as the last event. */
export type ProviderEvent = TextDelta | ReasoningDelta | ToolCallDelta | MessageEnd;

/** A piece of the reply's text. */
export interface TextDelta {
  readonly type: 'text-delta';
  readonly text: string;
}

/** A piece of the model's visible reasoning. */
export interface ReasoningDelta {
  readonly type: 'reasoning-delta';
  readonly text: string;
}

/** A piece of a call, for display only: never run from this. The whole calls stand in `message-end`. */
export interface ToolCallDelta {
  readonly type: 'tool-call-delta';
  /** The call's place in the reply, counted from 0 in order of appearance. */
  readonly index: number;
  /** Set once known. */
  readonly id?: string;
  readonly name?: string;
  /** The new piece of argument text; may be empty. */
  readonly arguments: string;
}

/** The end of a reply: the whole message. Calls of a cut, filtered or length-stopped reply stand in `droppedCalls`, never in `message`. */
export interface MessageEnd {
  readonly type: 'message-end';
  readonly message: AssistantMessage;
  readonly finishReason: FinishReason;
  readonly usage?: Usage;
  readonly droppedCalls?: readonly DroppedCall[];
  /** What the provider had to change or leave out of the request. */
  readonly warnings?: readonly ProviderWarning[];
}

/** A call that the model began and that must not run. */
export interface DroppedCall {
  readonly id: string;
  readonly name: string;
  /** The argument text so far; usually no valid JSON. */
  readonly arguments: string;
  /** Why: the reply's finish reason. */
  readonly reason: FinishReason;
}

/** Something in a request that a vendor's wire could not carry as asked. */
export interface ProviderWarning {
  readonly message: string;
  /** The name of the tool concerned. */
  readonly tool?: string;
  /** JSON pointer into the tool's schema. */
  readonly path?: string;
}

/** What a run tells: the provider's events and its own, in one union on `type`. */
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

/** A turn begins: one model call and the calls it asks for. Turns count from 1. */
export interface TurnStart {
  readonly type: 'turn-start';
  readonly turn: number;
  /** The same frozen objects as in `Toolset.list()`. */
  readonly tools: readonly Tool[];
}

/** A turn is over; its results have joined the history. */
export interface TurnEnd {
  readonly type: 'turn-end';
  readonly turn: number;
}

/** A call begins. */
export interface ToolStart {
  readonly type: 'tool-start';
  readonly call: ToolCall;
}

/** A running tool tells how far it is. */
export interface ToolProgress {
  readonly type: 'tool-progress';
  readonly callId: string;
  readonly update: string;
}

/** A call is over. Exactly one per `tool-start`. */
export interface ToolEnd {
  readonly type: 'tool-end';
  readonly call: ToolCall;
  readonly result: ToolResult;
  readonly durationMs: number;
}

/** The late outcome of an async tool. */
export interface ToolComplete {
  readonly type: 'tool-complete';
  readonly callId: string;
  readonly result: ToolResult;
}

/** A call waits for a decision. */
export interface ApprovalRequest {
  readonly type: 'approval-request';
  readonly call: ToolCall;
  readonly tool: Tool;
}

/** Messages from outside have joined the history. */
export interface Steer {
  readonly type: 'steer';
  readonly messages: readonly Message[];
}

/** The end of a run: the last event, once, on every path. A union on `reason`. */
export type RunEnd = RunDone | RunStopped | RunLimited | RunPending | RunFailed;

/** What every end of a run tells. */
export interface RunTotals {
  readonly type: 'run-end';
  /** Model calls made. */
  readonly turns: number;
  /** The whole history, sound: every call has exactly one result (but for those in `pending`). */
  readonly messages: readonly Message[];
  /** Summed over all turns. */
  readonly usage: Usage;
}

/** The model answered (`done`), or a hook ended the run with an answer (`handled`). */
export interface RunDone extends RunTotals {
  readonly reason: 'done' | 'handled';
  readonly answer: string;
}

/** The reply was cut by length or a filter, a loop was found, or the caller aborted. `answer` is the text so far, where there is some. */
export interface RunStopped extends RunTotals {
  readonly reason: 'length' | 'filtered' | 'loop' | 'aborted';
  readonly answer?: string;
}

/** A limit was reached. `answer` is the text so far or that of the closing turn. */
export interface RunLimited extends RunTotals {
  readonly reason: 'limit';
  readonly limit: RunLimit;
  readonly answer?: string;
}

/** Calls wait for a decision; a later run goes on from `messages` and the decisions. */
export interface RunPending extends RunTotals {
  readonly reason: 'approval';
  readonly pending: readonly ToolCall[];
}

/** The provider failed, or a part of the loop did. */
export interface RunFailed extends RunTotals {
  readonly reason: 'error';
  readonly error: KernelError;
}

/** Which limit ended a run. */
export type RunLimit = 'turns' | 'callsPerTool' | 'tokens' | 'cost' | 'time';
