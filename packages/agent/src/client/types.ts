import type {
  AgentEvent,
  AssistantMessage,
  EmbedResult,
  FinishReason,
  JsonObject,
  MediaPart,
  Message,
  ModelOptions,
  Provider,
  ProviderEvent,
  Tool,
  ToolCall,
  ToolChoice,
  Toolset,
  TranscribeRequest,
  Transcript,
  Usage,
  Approve,
} from '@kernel/protocol';
import type { RunLimits } from '../limits/run-limits.ts';

/** What a model can be asked for. */
export type ModelCapability = 'chat' | 'vision' | 'tools' | 'embeddings' | 'audio';

/** Options of `createModelClient`. */
export interface ModelClientOptions {
  /** Where requests are sent. */
  readonly provider: Provider;
  /** The name of the model. */
  readonly model: string;
  /** Default `default-agent`. */
  readonly name?: string | undefined;
  /** The system prompt of every request; replaces any in the messages. */
  readonly system?: string | undefined;
  /** The tools of `run`. */
  readonly tools?: Toolset | undefined;
  /** Options of every request. Options of a capability override them, and options of a call override both, key by key. */
  readonly options?: ModelOptions | undefined;
  /**
   * Options by capability. If any are given, the model has no other capability. `stream: false` says that it cannot stream, and `tool_choice` of
   * `tools` is the default of `toolChoice`.
   */
  readonly capabilities?: Readonly<Partial<Record<ModelCapability, JsonObject>>> | undefined;
  /** The limits of `run`. */
  readonly limits?: RunLimits | undefined;
  /** The approval of `run`. */
  readonly approve?: Approve | undefined;
  /** How long a decision may take, as in `RunOptions`. */
  readonly approvalTimeoutMs?: number | undefined;
}

/** Options of one request. */
export interface RequestOptions {
  /** Model options of this request. */
  readonly options?: ModelOptions | undefined;
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the model may or must call tools. Only for `tools`, `toolsStream` and `run`; `options.tool_choice` means the same. */
  readonly toolChoice?: ToolChoice | undefined;
}

/** A whole reply of the model. */
export interface ModelReply {
  /** The text of the message. */
  readonly text: string;
  /** The calls that the model asks for; none has run. */
  readonly calls: readonly ToolCall[];
  /** The whole message. */
  readonly message: AssistantMessage;
  /** Why the model stopped. */
  readonly finishReason: FinishReason;
  /** The tokens used, if the provider reports them. */
  readonly usage?: Usage;
}

/** A list of messages, or the text of one user message. */
export type MessageInput = string | readonly Message[];

/** An image as an http URL, a base64 data URL or a part. */
export type ImageInput = string | MediaPart;

/**
 * One provider and one model, with a method for each capability.
 *
 * Every method throws `PROVIDER_UNSUPPORTED`, before anything is sent, for a capability or a stream that the provider or the model lacks, and
 * otherwise what the provider throws. Nothing is retried, and no history is kept.
 */
export interface ModelClient {
  /** A name for logs. */
  readonly name: string;
  /** Where requests are sent. */
  readonly provider: Provider;
  /** The name of the model. */
  readonly model: string;
  /** Asks for a reply. Offers no tools and runs none: `tools` returns the calls that a model asks for, `run` runs them. */
  chat(messages: MessageInput, request?: RequestOptions): Promise<ModelReply>;
  /** Like `chat`, as a stream. */
  chatStream(messages: MessageInput, request?: RequestOptions): AsyncIterable<ProviderEvent>;
  /** Asks with images on the last user message. Throws `CONFIG_INVALID` without images or without such a message. */
  vision(messages: MessageInput, images: readonly ImageInput[], request?: RequestOptions): Promise<ModelReply>;
  /** Like `vision`, as a stream. */
  visionStream(
    messages: MessageInput,
    images: readonly ImageInput[],
    request?: RequestOptions,
  ): AsyncIterable<ProviderEvent>;
  /** Asks with tools on offer and returns the calls without running them. */
  tools(messages: MessageInput, tools: readonly Tool[], request?: RequestOptions): Promise<ModelReply>;
  /** Like `tools`, as a stream. */
  toolsStream(messages: MessageInput, tools: readonly Tool[], request?: RequestOptions): AsyncIterable<ProviderEvent>;
  /** Returns a vector for each text. */
  embed(input: string | readonly string[], request?: RequestOptions): Promise<EmbedResult>;
  /** Returns the text of a recording. */
  transcribe(audio: TranscribeRequest['audio'], request?: RequestOptions): Promise<Transcript>;
  /** Runs the conversation with the client's own tools, limits and approval. */
  run(messages: MessageInput, request?: RequestOptions): AsyncGenerator<AgentEvent, void>;
}
