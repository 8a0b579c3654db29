import type { KernelErrorCode } from './error.ts';
import type { JsonValue } from './json.ts';
import type { FinishReason } from './finish-reason.ts';
import type { AssistantMessage, Message, Usage } from './message.ts';
import type { ToolResult } from './result.ts';
import type { RunEnd } from './run/run-end.ts';
import type { Citation, ServerToolCall, ServerToolResult } from './server-tool.ts';
import type { Tool, ToolCall } from './tool.ts';

/** An event of a reply; the last is its only `message-end`. One is `Extract<ProviderEvent, { type: 'text-delta' }>`. */
export type ProviderEvent =
  /** A piece of the reply's text. */
  | {
      readonly type: 'text-delta';
      /** The new piece, to be appended. */
      readonly text: string;
    }
  /** A piece of what the model speaks. Its words come as text deltas, perhaps at other times. */
  | {
      readonly type: 'audio-delta';
      /** The new piece in base64: bytes of its own, to be appended to those before it. */
      readonly data: string;
      /** The media type of the whole, such as `audio/pcm`. */
      readonly mimeType: string;
    }
  /** The source of the preceding text. */
  | {
      readonly type: 'citation';
      /** The citation, as it will be in the text part of `message-end`. */
      readonly citation: Citation;
    }
  /** A piece of the model's visible reasoning. */
  | {
      readonly type: 'reasoning-delta';
      /** The new piece, to be appended. */
      readonly text: string;
    }
  | ToolCallDelta
  | ServerToolCall
  | ServerToolResult
  /**
   * The reply broke off and is requested again: discard its deltas so far. None of its calls has run. Emitted by
   * policies that repeat a request, such as `withTurnRetry`.
   */
  | {
      readonly type: 'reply-withdrawn';
      /** Why it broke off: the code of the error. */
      readonly code: KernelErrorCode;
      /** The message of the error. */
      readonly message: string;
    }
  | MessageEnd;

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
  /** Calls that must not run: the reply was cut, filtered or stopped by length, or the vendor restarted it within the same stream. */
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
  /** Why it was dropped: the reply's finish reason, or `other` for a call that the vendor abandoned when it restarted the reply. */
  readonly reason: FinishReason;
}

/** Something that a provider had to change in a request or leave out, because the vendor's API does not support it. */
export interface ProviderWarning {
  /** What was changed or left out. */
  readonly message: string;
  /** The name of the tool concerned. */
  readonly tool?: string;
  /** A JSON pointer into the tool's schema. */
  readonly path?: string;
}

/**
 * An event of a run: the provider's events and the run's own, in one union on `type`. `Output` is the type of the typed answer, if one was asked
 * for.
 */
export type AgentEvent<Output = unknown> =
  | ProviderEvent
  /** The typed answer so far, while its JSON arrives. */
  | {
      readonly type: 'output-delta';
      /**
       * The value so far: strings and arrays may be cut and properties may be missing, so it need not fit the schema.
       * Each event has its own value. For a long text, emitted once it has grown by a thirtieth.
       */
      readonly output: JsonValue;
    }
  /** A typed answer did not fit its schema. The model is asked once more, or the run ends with `OUTPUT_INVALID`. */
  | {
      readonly type: 'output-rejected';
      /** What is wrong: for each problem the JSON pointer and what was expected. */
      readonly issues: readonly string[];
    }
  /** The start of a turn: one model call and the tool calls that it asks for. */
  | {
      readonly type: 'turn-start';
      /** The number of the turn, from 1. */
      readonly turn: number;
      /** The tools on offer: the same frozen objects as in `Toolset.list()`. */
      readonly tools: readonly Tool[];
    }
  /** The end of a turn, after its results were added to the history. */
  | {
      readonly type: 'turn-end';
      /** The number of the turn, from 1. */
      readonly turn: number;
    }
  /** The start of a call. */
  | {
      readonly type: 'tool-start';
      /** The call, as the model made it. */
      readonly call: ToolCall;
      /** Whether it was pending at the end of a run, and decided on in a run before this one. */
      readonly wasDecided?: boolean;
    }
  /** A progress report of a running tool. */
  | {
      readonly type: 'tool-progress';
      /** The id of the call. */
      readonly callId: string;
      /** The tool's report, in its own words. */
      readonly update: string;
    }
  /** The end of a call. There is exactly one for each `tool-start`. */
  | {
      readonly type: 'tool-end';
      /** The call, as the model made it. */
      readonly call: ToolCall;
      /** The result that is added to the history. */
      readonly result: ToolResult;
      /** The time from start to end, in milliseconds. */
      readonly durationMs: number;
    }
  /** The late result of an async tool. */
  | {
      readonly type: 'tool-complete';
      /** The id of the call. */
      readonly callId: string;
      /** The late result. */
      readonly result: ToolResult;
    }
  /** A call that waits for a decision. */
  | {
      readonly type: 'approval-request';
      /** The call to decide on; its `arguments` are those that the handler would get. */
      readonly call: ToolCall;
      /** The tool that it would run. */
      readonly tool: Tool;
    }
  /**
   * Messages that came in from outside were added to the history: steering messages, follow-ups after an answer, and
   * late results of tools that work in the background.
   */
  | {
      readonly type: 'steer';
      /** The messages, in order. */
      readonly messages: readonly Message[];
    }
  | SubAgentEvent
  | RunEnd<Output>;

/** An event of a sub-agent, at any depth. */
export interface SubAgentEvent {
  readonly type: 'sub-agent-event';
  /** The names of the agents and the ids of their calls, from the outermost: `['research', 'call_3']`. */
  readonly path: readonly string[];
  /** The event, never itself a `sub-agent-event`. */
  readonly event: AgentEvent;
}
