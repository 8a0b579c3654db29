import { optionKeys } from '@kernel/protocol';

/** How a server that speaks chat completions differs from OpenAI. Plain data: presets and configs are built from these fields. */
export interface ChatQuirks {
  /** The body field that limits the length of the reply. Default `max_tokens`; `max_completion_tokens` at api.openai.com. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens' | undefined;
  /** The body field for `seed`. Default `seed`. */
  readonly seedField?: 'seed' | 'random_seed' | undefined;
  /** The message field in which the server wants a model's own reasoning back. Default `none`: reasoning is not sent back. */
  readonly reasoningField?: 'none' | 'reasoning' | 'reasoning_content' | undefined;
  /** True sends the server's `reasoning_details` back unchanged, signatures included. Default false. */
  readonly reasoningDetails?: boolean | undefined;
  /** False leaves `strict` out of function definitions, for servers that refuse it. Default true. */
  readonly sendStrict?: boolean | undefined;
  /** False leaves `stream_options` out, for servers that refuse it; streams then report no usage. Default true. */
  readonly streamUsage?: boolean | undefined;
  /** False leaves `parallel_tool_calls` out, for servers that refuse it. Default true. */
  readonly parallelToolCalls?: boolean | undefined;
  /** The `tool_choice` that means "must call a tool". Default `required`. */
  readonly requiredToolChoice?: 'required' | 'any' | undefined;
  /** The ids of calls that the server accepts. Default `any`; `max-40` at api.openai.com. */
  readonly callIds?: 'any' | 'max-40' | 'alphanumeric-9' | undefined;
  /** The dialect of JSON Schema that the server accepts. Default `openai`. */
  readonly dialect?: 'openai' | 'mistral' | undefined;
  /** `object`: the server takes no schema for replies, so JSON is requested and the schema goes into the instructions. Default `schema`. */
  readonly responseFormat?: 'schema' | 'object' | undefined;
  /** True says that a reply can be constrained to a schema while tools are offered. Default false; true at OpenAI, Azure and xAI. */
  readonly schemaWithTools?: boolean | undefined;
  /** True sends `key` and `ttl` of `cache` as OpenAI takes them. Default false; true at OpenAI and Azure. */
  readonly promptCache?: boolean | undefined;
}

export type ResolvedChatQuirks = { readonly [K in keyof ChatQuirks]-?: NonNullable<ChatQuirks[K]> };

const DEFAULTS: ResolvedChatQuirks = {
  maxTokensField: 'max_tokens',
  seedField: 'seed',
  reasoningField: 'none',
  reasoningDetails: false,
  sendStrict: true,
  streamUsage: true,
  parallelToolCalls: true,
  requiredToolChoice: 'required',
  callIds: 'any',
  dialect: 'openai',
  responseFormat: 'schema',
  schemaWithTools: false,
  promptCache: false,
};

export const QUIRK_KEYS = optionKeys<Record<string, unknown>>(
  Object.fromEntries(Object.keys(DEFAULTS).map((key) => [key, true as const])),
);

/** Later ones win, and undefined changes nothing. */
export function resolveQuirks(...layers: readonly (ChatQuirks | undefined)[]): ResolvedChatQuirks {
  const set = layers.flatMap((layer) => Object.entries(layer ?? {})).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(set) };
}
