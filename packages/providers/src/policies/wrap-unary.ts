import type {
  EmbedRequest,
  EmbedResult,
  Provider,
  ProviderRequest,
  TokenCount,
  Transcript,
  TranscribeRequest,
} from '@kernel/protocol';

export interface UnaryPolicy {
  countTokens(call: (request: ProviderRequest) => Promise<TokenCount>, request: ProviderRequest): Promise<TokenCount>;
  embed(call: (request: EmbedRequest) => Promise<EmbedResult>, request: EmbedRequest): Promise<EmbedResult>;
  transcribe(
    call: (request: TranscribeRequest) => Promise<Transcript>,
    request: TranscribeRequest,
  ): Promise<Transcript>;
}

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

export function forwardStructuredOutput(inner: Provider): Pick<Provider, 'structuredOutput'> {
  return inner.structuredOutput === undefined ? {} : { structuredOutput: inner.structuredOutput.bind(inner) };
}
