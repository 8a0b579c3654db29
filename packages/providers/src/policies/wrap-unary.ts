import type { EmbedRequest, EmbedResult, Provider, Transcript, TranscribeRequest } from '@kernel/protocol';

/** How a policy passes on the calls that answer with a promise. */
export interface AskPolicy {
  embed(ask: (request: EmbedRequest) => Promise<EmbedResult>, request: EmbedRequest): Promise<EmbedResult>;
  transcribe(ask: (request: TranscribeRequest) => Promise<Transcript>, request: TranscribeRequest): Promise<Transcript>;
}

/** The `embed` and `transcribe` of a wrapper: there only where the wrapped provider has them. @internal */
export function wrapAsks(inner: Provider, policy: AskPolicy): Pick<Provider, 'embed' | 'transcribe'> {
  const embed = inner.embed?.bind(inner);
  const transcribe = inner.transcribe?.bind(inner);
  return {
    ...(embed === undefined ? {} : { embed: async (request) => policy.embed(embed, request) }),
    ...(transcribe === undefined ? {} : { transcribe: async (request) => policy.transcribe(transcribe, request) }),
  };
}
