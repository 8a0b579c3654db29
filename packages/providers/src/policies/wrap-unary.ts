import type {
  EmbedRequest,
  EmbedResult,
  Provider,
  ProviderRequest,
  TokenCount,
  Transcript,
  TranscribeRequest,
} from '@kernel/protocol';

/** How a policy handles the calls that return a promise. */
export interface UnaryPolicy {
  /** Handles `countTokens`; `call` is the wrapped provider's. */
  countTokens(call: (request: ProviderRequest) => Promise<TokenCount>, request: ProviderRequest): Promise<TokenCount>;
  /** Handles `embed`; `call` is the wrapped provider's. */
  embed(call: (request: EmbedRequest) => Promise<EmbedResult>, request: EmbedRequest): Promise<EmbedResult>;
  /** Handles `transcribe`; `call` is the wrapped provider's. */
  transcribe(
    call: (request: TranscribeRequest) => Promise<Transcript>,
    request: TranscribeRequest,
  ): Promise<Transcript>;
}

/** Returns the other members of a wrapper, each only if the wrapped provider has it. @internal */
export function wrapUnary(
  inner: Provider,
  policy: UnaryPolicy,
): Pick<Provider, 'countTokens' | 'embed' | 'structuredOutput' | 'transcribe'> {
  const countTokens = inner.countTokens?.bind(inner);
  const embed = inner.embed?.bind(inner);
  const transcribe = inner.transcribe?.bind(inner);
  return {
    ...forwardStructuredOutput(inner),
    ...(countTokens === undefined ? {} : { countTokens: async (request) => policy.countTokens(countTokens, request) }),
    ...(embed === undefined ? {} : { embed: async (request) => policy.embed(embed, request) }),
    ...(transcribe === undefined ? {} : { transcribe: async (request) => policy.transcribe(transcribe, request) }),
  };
}

/** Returns the `structuredOutput` of a provider for a wrapper that does not change it. @internal */
export function forwardStructuredOutput(inner: Provider): Pick<Provider, 'structuredOutput'> {
  return inner.structuredOutput === undefined ? {} : { structuredOutput: inner.structuredOutput.bind(inner) };
}
