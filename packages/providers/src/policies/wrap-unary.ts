import type {
  EmbedRequest,
  EmbedResult,
  Provider,
  ProviderRequest,
  TokenCount,
  Transcript,
  TranscribeRequest,
  Usage,
} from '@kernel/protocol';

type UnaryRequest = ProviderRequest | EmbedRequest | TranscribeRequest;
type UnaryResult = TokenCount | EmbedResult | Transcript;

/** How a policy handles the calls that return a promise; `call` is the wrapped provider's. */
type UnaryPolicy = <Request extends UnaryRequest, Result extends UnaryResult>(
  call: (request: Request) => Promise<Result>,
  request: Request,
  kind: 'countTokens' | 'embed' | 'transcribe',
) => Promise<Result>;

/** The other members of a wrapper, each only if the wrapped provider has it. */
export function wrapUnary(
  inner: Provider,
  policy: UnaryPolicy = (call, request) => call(request),
): Pick<Provider, 'countTokens' | 'embed' | 'mediaLimits' | 'structuredOutput' | 'transcribe'> {
  const countTokens = inner.countTokens?.bind(inner);
  const embed = inner.embed?.bind(inner);
  const transcribe = inner.transcribe?.bind(inner);
  const structuredOutput = inner.structuredOutput?.bind(inner);
  const mediaLimits = inner.mediaLimits?.bind(inner);
  return {
    ...(structuredOutput && { structuredOutput }),
    ...(mediaLimits && { mediaLimits }),
    ...(countTokens && { countTokens: async (request) => policy(countTokens, request, 'countTokens') }),
    ...(embed && { embed: async (request) => policy(embed, request, 'embed') }),
    ...(transcribe && { transcribe: async (request) => policy(transcribe, request, 'transcribe') }),
  };
}

export function embedUsage(result: UnaryResult): Usage | undefined {
  return 'embeddings' in result ? result.usage : undefined;
}
