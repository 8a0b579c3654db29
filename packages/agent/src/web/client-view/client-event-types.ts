import type {
  Citation,
  FinishReason,
  JsonValue,
  KernelErrorCode,
  RunEnd,
  RunLimit,
  Source,
  ToolOutcome,
  Usage,
} from '@kernel/protocol';

/** What a client may see of a call. */
export interface ClientCall {
  /** The id of the call. */
  readonly callId: string;
  /** The name of the tool. */
  readonly name: string;
  /** The arguments as JSON text, if the server shows `arguments`. */
  readonly arguments?: string;
}

/** How a call ended: `failed` is a result with an error, the others are as in `ToolOutcome`. */
export type ClientStatus = ToolOutcome | 'failed';

/** An error without its internals. */
export interface ClientError {
  /** The kind of error. */
  readonly code: KernelErrorCode;
  /** A generic message; the message of the error itself, if the server shows `errors`. */
  readonly message: string;
}

/** What a client may see of a result. */
export interface ClientResult {
  /** The text that the model reads. */
  readonly text: string;
  /** The text for the user, unless it is silent. */
  readonly forUser?: string;
  /** The structured result. */
  readonly data?: JsonValue;
}

/** How a call ended, as a client may see it. */
export interface ClientCallResult {
  /** The id of the call. */
  readonly callId: string;
  /** How it ended. */
  readonly status: ClientStatus;
  /** The result of a call that did not fail, if the server shows `results`. */
  readonly result?: ClientResult;
  /** What went wrong with a call that failed. */
  readonly error?: ClientError;
}

/** A call that waits for a decision of the client. */
export interface ClientPendingCall extends ClientCall {
  /** The ids of the calls of agents around it, outermost first. Call ids only, unlike `SubAgentEvent.path`. */
  readonly path: readonly string[];
  /** What an `allow` must repeat: it counts only for the tool and the arguments that it was given for. */
  readonly digest: string;
}

/** The end of a run, as a client may see it. */
export interface ClientRunEnd {
  readonly type: 'run-end';
  /** Why the run ended. */
  readonly reason: RunEnd['reason'];
  /** The limit that was reached. */
  readonly limit?: RunLimit;
  /** The text of the answer, or what there is of it. */
  readonly answer?: string;
  /** The typed answer, as JSON: as the model gave it, without what the schema makes of it. */
  readonly output?: JsonValue;
  /** The calls that wait for a decision. */
  readonly pending?: readonly ClientPendingCall[];
  /** What failed. */
  readonly error?: ClientError;
  /** The tokens of the run, if the server shows `usage`. */
  readonly usage?: Usage;
}

/** A message of the history, as a client may see it. Nothing of system messages. */
export type ClientMessage =
  /** What the user wrote. */
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      /** The text of the reply. */
      readonly text: string;
      /** The calls that the model asked for. */
      readonly calls: readonly ClientCall[];
      /** If the server shows `reasoning`. */
      readonly reasoning?: string;
    }
  /** The result of a call. */
  | ({
      readonly role: 'tool';
      /** The name of the tool. */
      readonly name: string;
    } & ClientCallResult);

/** What a client may see of a run: a union on `type`, of JSON values only. */
export type ClientEvent =
  /** A turn begins or ends, counted from 1. */
  | { readonly type: 'turn-start' | 'turn-end'; readonly turn: number }
  /** A piece of the reply or, if the server shows `reasoning`, of the model's reasoning. */
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly text: string }
  /** A piece of a spoken reply, in base64. */
  | { readonly type: 'audio-delta'; readonly data: string; readonly mimeType: string }
  /** A source for the text before it. */
  | { readonly type: 'citation'; readonly citation: Citation }
  /** The vendor runs one of its own tools. */
  | ({ readonly type: 'server-tool-call' } & ClientCall)
  | ClientServerToolResult
  | ClientCallDelta
  /** Discards the deltas since the start of the turn: the reply is requested again. */
  | { readonly type: 'reply-withdrawn'; readonly code: KernelErrorCode }
  /** A reply is complete, with its calls. */
  | { readonly type: 'message-end'; readonly finishReason: FinishReason; readonly calls: readonly ClientCall[] }
  /** The typed answer as far as it has arrived. */
  | { readonly type: 'output-delta'; readonly output: JsonValue }
  /** The typed answer was not valid and is requested again. */
  | { readonly type: 'output-rejected' }
  /** A call begins. */
  | ({ readonly type: 'tool-start' } & ClientCall)
  /** What a running tool reports. */
  | { readonly type: 'tool-progress'; readonly callId: string; readonly update: string }
  /** A call has ended. */
  | ({
      readonly type: 'tool-end';
      /** The name of the tool. */
      readonly name: string;
      /** How long the call took, in milliseconds. */
      readonly durationMs: number;
    } & ClientCallResult)
  /** The late result of an async tool, whose call returned before it. */
  | ({ readonly type: 'tool-complete' } & ClientCallResult)
  /** A call waits for a decision. */
  | ({ readonly type: 'approval-request' } & ClientCall)
  /** An event of an agent that the calls of `path` run. */
  | { readonly type: 'sub-agent-event'; readonly path: readonly string[]; readonly event: ClientEvent }
  | ClientDecidedCallEnd
  | ClientRunEnd
  | ClientStreamEvent;

/**
 * The end of a sub-agent's call that was pending when the previous run ended, so that whoever decided on it learns how it ended, whether or not the
 * server shows `sub-agents`. It may end twice: as pending, and with the late result of an async tool.
 */
export interface ClientDecidedCallEnd extends ClientCall, ClientCallResult {
  readonly type: 'decided-call-end';
  /** The id of the call. */
  readonly callId: string;
  /** The ids of the calls of agents around it, as in `pending`. */
  readonly path: readonly string[];
}

/** The result of a tool that the vendor ran. */
export interface ClientServerToolResult {
  readonly type: 'server-tool-result';
  /** The id of the call. */
  readonly callId: string;
  /** The vendor's name for its tool. */
  readonly name: string;
  /** Whether the call failed. */
  readonly isError?: boolean;
  /** What was found, if the server shows `results`. */
  readonly text?: string;
  /** The pages and documents that were found, if the server shows `results`. */
  readonly sources?: readonly Source[];
}

/** A piece of a call while it arrives, if the server shows `arguments`. */
export interface ClientCallDelta {
  readonly type: 'tool-call-delta';
  /** The position of the call in the reply, from 0. */
  readonly index: number;
  /** The id of the call, as soon as it is known. The `message-end` has the id that counts. */
  readonly callId?: string;
  /** The name of the tool, as soon as it is known. */
  readonly name?: string;
  /** The new piece of argument text. */
  readonly arguments: string;
}

/** What a stream adds to the events of a run. */
export type ClientStreamEvent =
  /** The client missed something: it discards what it showed after its last id, and the messages that follow replace it. */
  | { readonly type: 'resume'; readonly from: number }
  /** A whole message that the client has missed. */
  | { readonly type: 'message'; readonly message: ClientMessage }
  /** The events themselves failed; nothing follows. */
  | ({ readonly type: 'error' } & ClientError);
