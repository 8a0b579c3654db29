import type { ProviderEvent } from './event.ts';
import type { JsonObject, JsonSchema } from './json.ts';
import type { MediaLimits } from './media-limits.ts';
import type { Message, TokenCount, Usage } from './message.ts';
import type { ModelOptions } from './model-options.ts';
import type { PromptCache } from './prompt-cache.ts';
import type { ToolResult } from './result.ts';
import type { Tool, ToolCall } from './tool.ts';

/** The port to a model. Policies such as retry, fallback and recording are wrappers `Provider → Provider`. */
export interface Provider {
  /** The name of the provider, for messages and events. */
  readonly name: string;
  /**
   * Streams one reply: exactly one `message-end`, last, or one thrown `KernelError`.
   *
   * Nothing is sent before the first `next()`. A caller's abort throws `signal.reason`. Leaving the loop closes the request.
   */
  stream(request: ProviderRequest): AsyncIterable<ProviderEvent>;
  /** How well a model can be constrained to a schema, for `run({ output })`. Default `tool-call`. Wrappers forward it. */
  structuredOutput?(model: string): StructuredOutput | Promise<StructuredOutput>;
  /** Returns the vendor's limits of pictures and documents in a request. Wrappers forward it. */
  mediaLimits?(model: string): MediaLimits;
  /** Counts the tokens of a request without asking the model. Absent if the vendor has no such operation. Sends the conversation. */
  countTokens?(request: ProviderRequest): Promise<TokenCount>;
  /** Returns vectors for texts. Absent if the vendor has no embeddings. */
  embed?(request: EmbedRequest): Promise<EmbedResult>;
  /** Returns the text of a recording. Absent if the vendor has no transcription. */
  transcribe?(request: TranscribeRequest): Promise<Transcript>;
}

/** One request to a model. */
export interface ProviderRequest {
  /** The vendor's name for the model. */
  readonly model: string;
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /** The tools on offer. Pass the same list object as long as nothing changes: encoders cache by its identity. */
  readonly tools?: readonly Tool[] | undefined;
  /** Default `auto`. A name that is not among `tools` throws before anything is sent. */
  readonly toolChoice?: ToolChoice | undefined;
  /** Default true; false asks for one JSON reply and gives the same events. */
  readonly stream?: boolean | undefined;
  /** Asks for an answer as JSON that matches a schema. */
  readonly responseFormat?: ResponseFormat | undefined;
  /** How the vendor's prompt cache is used. Default `auto`: cache points are set where the vendor expects them. */
  readonly cache?: PromptCache | undefined;
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Model options. Each wire translates the known ones; any other key goes to the root of the body. */
  readonly options?: ModelOptions | undefined;
}

/** Whether the model may, must or must not call a tool, or which one it must call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/**
 * How a model is constrained to a schema: by `responseFormat`, with tools (`schema`) or only without them (`schema-without-tools`); by a tool that
 * takes the answer (`tool-call`); or by instructions (`text`).
 */
export type StructuredOutput = 'schema' | 'schema-without-tools' | 'tool-call' | 'text';

/** Asks for an answer as JSON that matches a schema. */
export interface ResponseFormat {
  /** A name for the schema, which some vendors require. */
  readonly name: string;
  /** The JSON Schema of the answer. */
  readonly schema: JsonSchema;
  /** Asks the vendor to enforce the schema. */
  readonly strict?: boolean | undefined;
}

/** A request for vectors. */
export interface EmbedRequest {
  /** The vendor's name for the model. */
  readonly model: string;
  /** One text or several. */
  readonly input: string | readonly string[];
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Vendor options, added to the root of the body. */
  readonly options?: JsonObject | undefined;
}

/** Vectors in the order of the input. */
export interface EmbedResult {
  /** One vector for each text, in the order of the input. */
  readonly embeddings: readonly Embedding[];
  /** The tokens used, if the vendor reports them. */
  readonly usage?: Usage;
}

/** One vector. */
export interface Embedding {
  /** The position of its text in the input, from 0. */
  readonly index: number;
  /** The components. */
  readonly vector: readonly number[];
}

/** A request for the text of a recording. */
export interface TranscribeRequest {
  /** The vendor's name for the model. */
  readonly model: string;
  /** The recording. */
  readonly audio: {
    /** The bytes of the file. */
    readonly data: Uint8Array;
    /** The media type, such as `audio/mpeg`. */
    readonly mimeType: string;
    /** The file name, which the vendor gets too. */
    readonly name: string;
  };
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Vendor options, added to the form. */
  readonly options?: JsonObject | undefined;
}

/** The text of a recording. */
export interface Transcript {
  /** The whole text. */
  readonly text: string;
  /** The language that the vendor detected. */
  readonly language?: string;
  /** The length of the recording, in seconds. */
  readonly durationSeconds?: number;
}

/**
 * The port to a set of tools. Wrappers are `Toolset → Toolset`: see `wrapCalls` and `wrapToolset`.
 *
 * `Context` is what its handlers need as `context` of the run.
 */
export interface Toolset<Context = unknown> {
  /** The tools on offer: the same frozen array until something changes. */
  list(): readonly Tool[];
  /**
   * The tools on offer in a turn, if that can differ: conditions, capabilities and lifetimes are evaluated here, once a turn. Absent: `list()`.
   * The same frozen array as long as the tools are the same.
   */
  listFor?(turn: TurnContext<Context>): readonly Tool[] | Promise<readonly Tool[]>;
  /**
   * Finds the tool, validates and repairs the arguments, applies policies, and runs nothing. A call that can't run is
   * its failed result. Never throws or rejects. The same call in the same state gives the same arguments.
   */
  prepare(
    call: ToolCall,
    context: CallContext<Context>,
  ): PreparedCall | ToolResult | Promise<PreparedCall | ToolResult>;
  /** Calls `listener` after the list has changed. Returns a function that unsubscribes; calling it twice is safe. */
  subscribe?(listener: () => void): () => void;
}

/** A call, ready to run: what a person is shown and what runs are this one value. */
export interface PreparedCall {
  /** The tool that runs. */
  readonly tool: Tool;
  /** The arguments that are shown, digested and run, as JSON: those before a schema if JSON can't tell its values. */
  readonly arguments: string;
  /** Whether somebody must allow it first. Default: if there is somebody to ask, unless the tool only reads. `true`: it never runs unasked. */
  readonly needsApproval?: boolean | undefined;
  /** Whether it does nothing but run an agent, as an inner run (see `Step.hasInnerSteps`). */
  readonly runsAgent?: boolean | undefined;
  /** Whether `run` awaits `RunningCall.started` itself, after its queues and checks. Default: it is awaited before `run`. */
  readonly awaitsStarted?: boolean | undefined;
  /**
   * Runs exactly this. Never rejects: failures, timeouts and aborts are results with `isError`. Within 50 ms of an
   * abort it is `cancelled`, or `abandoned` if the handler may still be running. An own member: a spread keeps it.
   */
  run(running: RunningCall): Promise<ToolResult>;
}

/** What a toolset gets when a turn begins. */
export interface TurnContext<Context = unknown> {
  /** The number of the turn, from 1. */
  readonly turn: number;
  /** The conversation of the run, if it has one. */
  readonly conversation?: Conversation | undefined;
  /** The `context` of the run, for conditions. */
  readonly context?: Context | undefined;
  /** Aborts when the run does. */
  readonly signal: AbortSignal;
}

/** Identifies a conversation in a chat application. */
export interface Conversation {
  /** The application or medium, such as `slack`. */
  readonly channel: string;
  /** The conversation within the channel. */
  readonly chatId: string;
}

/** What comes with a call when it is prepared. It is an argument and never stored on a tool, so that concurrent calls each see their own. */
export interface CallContext<Context = unknown> {
  /** Aborts the preparation. */
  readonly signal: AbortSignal;
  /** The conversation of the run, if it has one. */
  readonly conversation?: Conversation | undefined;
  /** The `context` of the run, which the program provides for its handlers, such as a database or the user. Never sent to a model, and in no event. */
  readonly context?: Context | undefined;
  /** The turn in which the call was made, as `listFor` got it: its tools can be called. Without it, those of the last turn. */
  readonly turn?: TurnContext<Context> | undefined;
  /** The same for every attempt at the same call. */
  readonly idempotencyKey?: string | undefined;
}

/** What comes with a call when it runs. */
export interface RunningCall {
  /** Aborts the call. */
  readonly signal: AbortSignal;
  /**
   * Awaited right before a handler is entered, after all queues and checks; not called if no handler runs. What is recorded here tells, after a
   * crash, which calls may have had an effect. If it rejects, the handler is not entered. Called for each attempt.
   */
  readonly started?: (() => void | Promise<void>) | undefined;
  /** Receives progress reports. Ignored after the call has ended. */
  readonly onProgress?: ((update: string) => void) | undefined;
  /** Receives the late result of an async tool, once. */
  readonly onComplete?: ((result: ToolResult) => void) | undefined;
}

/** What a handler gets besides its input. */
export interface ToolContext<Context = unknown>
  extends CallContext<Context>, Pick<RunningCall, 'onProgress' | 'onComplete'> {
  /** The id of the call. */
  readonly callId: string;
  /** The name under which the tool was called. */
  readonly toolName: string;
}

/**
 * A tool and the function that does its work, for packages that do not depend on a registry. `createRegistry` and `register` of `@kernel/tools`
 * accept it as it is, and validate the arguments before `handler` gets them.
 */
export interface ToolWithHandler<Context = unknown> {
  /** The tool that a model sees. */
  readonly tool: Tool;
  /** Does the work. Gets the validated arguments; returns a `ToolResult`, text or any JSON value, or throws. */
  readonly handler: (input: never, context: ToolContext<Context>) => unknown;
  /** Time limit of a call, in milliseconds; `0` means that the tool has limits of its own. Default: the registry's. */
  readonly timeoutMs?: number | undefined;
  /** How many calls run at once. Default: 1 for a tool that writes, else no limit. */
  readonly concurrency?: number | undefined;
  /** Whether the tool does nothing but run an agent, as an inner run. Default false. */
  readonly runsAgent?: boolean | undefined;
}
