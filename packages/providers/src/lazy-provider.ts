import { KernelError, type MediaLimits, type Provider } from '@kernel/protocol';
import { openStream } from './policies/open-stream.ts';
import { streamChecked } from './vendor-rules/checked-media.ts';
import { limitsOf } from './vendor-rules/vendor-limits.ts';

/** The optional members of a provider that depend on its wire. */
export type UnaryMember = 'countTokens' | 'embed' | 'transcribe';

export function lazyProvider(
  name: string,
  load: () => Promise<Provider>,
  members: readonly UnaryMember[] = [],
): Provider {
  const has = (member: UnaryMember): boolean => members.includes(member);
  let loading: Promise<Provider> | undefined;
  let loaded: Provider | undefined;
  const loadOnce = (): Promise<Provider> => (loading ??= load().then((provider) => (loaded = provider)));
  const stream: Provider['stream'] = (request) =>
    loaded?.stream(request) ??
    openStream(undefined, async (opening) => {
      const provider = await loadOnce();
      opening.signal.throwIfAborted();
      request.signal?.throwIfAborted();
      return opening.first(provider.stream(request));
    });
  const mediaLimits = (model: string): MediaLimits => limitsOf(name, model);
  return {
    name,
    structuredOutput: async (model) => (await loadOnce()).structuredOutput?.(model) ?? 'tool-call',
    mediaLimits,
    stream: (request) => streamChecked(name, mediaLimits, request, stream),
    ...(has('countTokens') && {
      countTokens: async (request) => (await loadMember(loadOnce, name, 'countTokens'))(request),
    }),
    ...(has('embed') && { embed: async (request) => (await loadMember(loadOnce, name, 'embed'))(request) }),
    ...(has('transcribe') && {
      transcribe: async (request) => (await loadMember(loadOnce, name, 'transcribe'))(request),
    }),
  };
}

async function loadMember<K extends UnaryMember>(
  loadOnce: () => Promise<Provider>,
  name: string,
  key: K,
): Promise<NonNullable<Provider[K]>> {
  const member = (await loadOnce())[key];
  if (member === undefined) throw new KernelError('PROVIDER_UNSUPPORTED', `${name} has no ${key}.`);
  return member;
}
