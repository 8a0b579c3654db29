/** What is particular about a server that speaks chat completions. Plain data: a new vendor is one entry. @internal */
export interface ChatQuirks {
  /** The address of the API. Absent: the caller has to give it. */
  readonly baseUrl?: string;
  /** The body field that limits the reply's length. Default `max_tokens`. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** The body field for `seed`. Default `seed`. */
  readonly seedField?: 'seed' | 'random_seed';
  /** The field in which a model's own reasoning goes back. Absent: it does not. */
  readonly reasoningField?: 'reasoning' | 'reasoning_content';
  /** True: the server's `reasoning_details` go back as they came, signatures included. */
  readonly reasoningDetails?: boolean;
  /** False: function definitions carry no `strict`. Default true. */
  readonly sendStrict?: boolean;
  /** False: a stream is not asked for its usage. Default true. */
  readonly streamUsage?: boolean;
  /** False: the server takes no `parallel_tool_calls`. Default true. */
  readonly parallelCalls?: boolean;
  /** How "must call a tool" is written. Default `required`. */
  readonly requiredChoice?: 'required' | 'any';
  /** What the server takes as the id of a call. Default any text. */
  readonly callIds?: 'any' | 'upTo40' | 'nine';
  /** The kind of schema that it takes. Default `openai`. */
  readonly dialect?: 'openai' | 'mistral';
  /** `object`: it knows no schema for answers, so JSON is asked for and the schema goes into the instructions. Default `schema`. */
  readonly responseFormat?: 'schema' | 'object';
}

/** The servers that speak chat completions, by the name of `createProvider`. @internal */
export const CHAT_PRESETS: ReadonlyMap<string, ChatQuirks> = new Map<string, ChatQuirks>([
  ['openai', { baseUrl: 'https://api.openai.com/v1' }],
  ['azure', { maxTokensField: 'max_completion_tokens', callIds: 'upTo40' }],
  ['llamacpp', { baseUrl: 'http://127.0.0.1:8080/v1', sendStrict: false, reasoningField: 'reasoning_content' }],
  ['vllm', { baseUrl: 'http://127.0.0.1:8000/v1', sendStrict: false }],
  ['lmstudio', { baseUrl: 'http://127.0.0.1:1234/v1', sendStrict: false }],
  [
    'groq',
    {
      baseUrl: 'https://api.groq.com/openai/v1',
      sendStrict: false,
      maxTokensField: 'max_completion_tokens',
      reasoningField: 'reasoning',
    },
  ],
  [
    'mistral',
    {
      baseUrl: 'https://api.mistral.ai/v1',
      callIds: 'nine',
      dialect: 'mistral',
      requiredChoice: 'any',
      seedField: 'random_seed',
      streamUsage: false,
    },
  ],
  [
    'deepseek',
    {
      baseUrl: 'https://api.deepseek.com',
      sendStrict: false,
      parallelCalls: false,
      reasoningField: 'reasoning_content',
      responseFormat: 'object',
    },
  ],
  ['openrouter', { baseUrl: 'https://openrouter.ai/api/v1', reasoningDetails: true }],
  ['together', { baseUrl: 'https://api.together.xyz/v1', sendStrict: false }],
  ['xai', { baseUrl: 'https://api.x.ai/v1' }],
  // Ollama's path of this wire; its own API is the wire "ollama".
  ['ollama', { baseUrl: 'http://localhost:11434/v1', sendStrict: false }],
]);
