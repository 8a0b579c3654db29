import type { ProviderEvent } from './event.ts';
import type { JsonObject, JsonSchema } from './json.ts';
import type { Message, Usage } from './message.ts';
import type { ToolResult } from './result.ts';
import type { Tool, ToolCall } from './tool.ts';

/** The port to a model. Policies (retry, fallback, recording) are wrappers `Provider → Provider`. */
export interface Provider {
  readonly name: string;
  /**
   * Streams one reply: exactly one `message-end`, last, or one thrown `KernelError`.
   *
   * Nothing is sent before the first `next()`. A caller's abort throws `signal.reason`. Leaving the loop closes the request.
   */
  stream(request: ProviderRequest): AsyncIterable<ProviderEvent>;
  /** Absent where the vendor has no embeddings. */
  embed?(request: EmbedRequest): Promise<EmbedResult>;
  /** Absent where the vendor has no transcription. */
  transcribe?(request: TranscribeRequest): Promise<Transcript>;
}

/** One request to a model. */
export interface ProviderRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  /** The same list object from turn to turn while nothing changed: encoders cache by its identity. */
  readonly tools?: readonly Tool[] | undefined;
  /** Default `auto`. A name that is not among `tools` throws before anything is sent. */
  readonly toolChoice?: ToolChoice | undefined;
  /** Default true; false asks for one JSON reply and gives the same events. */
  readonly stream?: boolean | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  /** Whether prompt-cache marks are set. Default `auto`. */
  readonly cache?: 'auto' | 'off' | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Model options. `maxTokens`, `temperature`, `topP`, `stop`, `seed`, `reasoningEffort` and `parallelToolCalls` (also in
   * snake_case) are mapped per wire; any other key goes to the root of the body. `0` and `false` are kept.
   */
  readonly options?: JsonObject | undefined;
}

/** Whether the model may, must or must not call a tool, or which one it must call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** Asks for an answer in JSON of this schema. */
export interface ResponseFormat {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly strict?: boolean | undefined;
}

/** A request for vectors. */
export interface EmbedRequest {
  readonly model: string;
  readonly input: string | readonly string[];
  readonly signal?: AbortSignal | undefined;
  readonly options?: JsonObject | undefined;
}

/** Vectors in the order of the input. */
export interface EmbedResult {
  readonly embeddings: readonly Embedding[];
  readonly usage?: Usage;
}

/** One vector and the place of its text in the input. */
export interface Embedding {
  readonly index: number;
  readonly vector: readonly number[];
}

/** A request for the text of a recording. */
export interface TranscribeRequest {
  readonly model: string;
  readonly audio: { readonly data: Uint8Array; readonly mimeType: string; readonly name: string };
  readonly signal?: AbortSignal | undefined;
  readonly options?: JsonObject | undefined;
}

/** The text of a recording. */
export interface Transcript {
  readonly text: string;
  readonly language?: string;
  /** Length of the recording, in seconds. */
  readonly durationSeconds?: number;
}

/** The port to a set of tools. Wrappers `Toolset → Toolset` forward all four members. */
export interface Toolset {
  /** The tools on offer: the same array until something changes. */
  list(): readonly Tool[];
  /** Runs one call. Never rejects: faults, timeouts and aborts are results with `isError`. */
  call(call: ToolCall, context: CallContext): Promise<ToolResult>;
  /** Awaited before each `list()` of a run: life times, conditions and capabilities are settled here. */
  beginTurn?(turn: TurnContext): Promise<void>;
  /** Calls `listener` after the list has changed; returns its undo. */
  subscribe?(listener: () => void): () => void;
}

/** What a toolset is told when a turn begins. Turns count from 1. */
export interface TurnContext {
  readonly turn: number;
  readonly conversation?: Conversation | undefined;
  readonly signal: AbortSignal;
}

/** Where a conversation takes place (seed 002). */
export interface Conversation {
  readonly channel: string;
  readonly chatId: string;
}

/** What comes with a call. An argument, never set on a tool: concurrent calls each see their own. */
export interface CallContext {
  readonly signal: AbortSignal;
  readonly conversation?: Conversation | undefined;
  /** The same for every attempt at the same call. */
  readonly idempotencyKey?: string | undefined;
  /** Hears how far the tool is. Ignored after the call has ended. */
  readonly onProgress?: ((update: string) => void) | undefined;
  /** Hears the late outcome of an async tool, once. */
  readonly onComplete?: ((result: ToolResult) => void) | undefined;
}

/** What a handler gets beside its input. */
export interface ToolContext extends CallContext {
  readonly callId: string;
  readonly toolName: string;
}
