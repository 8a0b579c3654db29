import type { EmbedRequest, EmbedResult, Provider, Transcript, TranscribeRequest } from '@kernel/protocol';

/** How a policy handles the calls that return a promise. */
export interface UnaryPolicy {
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
): Pick<Provider, 'embed' | 'structuredOutput' | 'transcribe'> {
  const embed = inner.embed?.bind(inner);
  const transcribe = inner.transcribe?.bind(inner);
  return {
    ...forwardStructuredOutput(inner),
    ...(embed === undefined ? {} : { embed: async (request) => policy.embed(embed, request) }),
    ...(transcribe === undefined ? {} : { transcribe: async (request) => policy.transcribe(transcribe, request) }),
  };
}

/** Returns the `structuredOutput` of a provider for a wrapper that does not change it. @internal */
export function forwardStructuredOutput(inner: Provider): Pick<Provider, 'structuredOutput'> {
  return inner.structuredOutput === undefined ? {} : { structuredOutput: inner.structuredOutput.bind(inner) };
}
