import type {
  AgentEvent,
  AssistantMessage,
  EmbedResult,
  FinishReason,
  JsonObject,
  MediaPart,
  Message,
  Provider,
  ProviderEvent,
  Tool,
  ToolCall,
  ToolChoice,
  Toolset,
  Transcript,
  TranscribeRequest,
  Usage,
} from '@kernel/protocol';
import type { Approve } from '../approval/approval.ts';
import type { RunLimits } from '../limits/run-limits.ts';

/** What an agent can be asked in (seed 000). */
export type AgentProtocol = 'chat' | 'vision' | 'tools' | 'embeddings' | 'audio';

/** What makes an agent. */
export interface AgentOptions {
  readonly provider: Provider;
  readonly model: string;
  /** Default `default-agent`. */
  readonly name?: string | undefined;
  /** The system prompt of every request; takes the place of any in the messages. */
  readonly system?: string | undefined;
  /** The tools of `run`. */
  readonly tools?: Toolset | undefined;
  /** Options of every request; beaten by the protocol's, which are beaten by the call's, key by key. */
  readonly options?: JsonObject | undefined;
  /** Options by protocol. Where some are given, the model has no other protocol; `stream: false` says that it cannot stream. */
  readonly capabilities?: Readonly<Partial<Record<AgentProtocol, JsonObject>>> | undefined;
  readonly limits?: RunLimits | undefined;
  readonly approve?: Approve | undefined;
}

/** What one call to an agent may add. */
export interface AskOptions {
  readonly options?: JsonObject | undefined;
  readonly signal?: AbortSignal | undefined;
  /** For `tools` alone. */
  readonly toolChoice?: ToolChoice | undefined;
}

/** A whole reply. */
export interface AgentReply {
  readonly text: string;
  /** What the model asks to call; nothing was run. */
  readonly calls: readonly ToolCall[];
  readonly message: AssistantMessage;
  readonly finishReason: FinishReason;
  readonly usage?: Usage;
}

/** Messages, or one user message as text. */
export type Conversational = string | readonly Message[];

/** An image by URL or data URL, or as a part. */
export type ImageInput = string | MediaPart;

/**
 * Seed 000's agent: one provider and model behind the protocols chat, vision, tools, embeddings and audio.
 *
 * Every method throws `PROVIDER_UNSUPPORTED`, before anything is sent, for a protocol or a stream that the provider or model lacks, and
 * otherwise what the provider throws. Nothing is retried and no history is kept.
 */
export interface Agent {
  readonly name: string;
  readonly provider: Provider;
  readonly model: string;
  chat(messages: Conversational, ask?: AskOptions): Promise<AgentReply>;
  chatStream(messages: Conversational, ask?: AskOptions): AsyncIterable<ProviderEvent>;
  /** Puts the images on the last user message. Throws `CONFIG_INVALID` without images or without such a message. */
  vision(messages: Conversational, images: readonly ImageInput[], ask?: AskOptions): Promise<AgentReply>;
  visionStream(messages: Conversational, images: readonly ImageInput[], ask?: AskOptions): AsyncIterable<ProviderEvent>;
  /** Returns the calls without running them. */
  tools(messages: Conversational, tools: readonly Tool[], ask?: AskOptions): Promise<AgentReply>;
  toolsStream(messages: Conversational, tools: readonly Tool[], ask?: AskOptions): AsyncIterable<ProviderEvent>;
  embed(input: string | readonly string[], ask?: AskOptions): Promise<EmbedResult>;
  transcribe(audio: TranscribeRequest['audio'], ask?: AskOptions): Promise<Transcript>;
  /** Runs the conversation with the agent's own tools, limits and approval. */
  run(messages: Conversational, ask?: AskOptions): AsyncGenerator<AgentEvent, void>;
}
