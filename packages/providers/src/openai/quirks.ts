import type { JsonObject } from '@kernel/protocol';

/** What differs between the servers that speak chat completions. Plain data. @internal */
export interface ChatSettings {
  /** The provider's name: in errors, and in the trace of a message. */
  readonly name: string;
  readonly origin: string;
  /** The path of an operation, with its query. */
  path(operation: 'chat/completions' | 'embeddings' | 'audio/transcriptions', model: string): string;
  /** The body field that limits the reply's length. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** The field in which a reasoning model wants its own reasoning back; absent: never sent. */
  readonly reasoningField?: 'reasoning' | 'reasoning_content' | undefined;
  /** True: `reasoning_details` go back as they came. */
  readonly reasoningDetails: boolean;
  /** False leaves `strict` out of function definitions, for servers that refuse it. */
  readonly sendStrict: boolean;
  /** False leaves `stream_options` out, for servers that refuse it. */
  readonly streamUsage: boolean;
  readonly seedField: 'seed' | 'random_seed';
  /** False leaves `parallel_tool_calls` out. */
  readonly parallelCalls: boolean;
  readonly requiredChoice: 'required' | 'any';
  readonly callIds: 'any' | 'upTo40' | 'nine';
  readonly dialect: 'openai' | 'mistral';
  readonly responseFormat: 'schema' | 'object';
  readonly options: JsonObject;
}
