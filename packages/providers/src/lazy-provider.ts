import { KernelError, type Provider, type ProviderEvent } from '@kernel/protocol';

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
  return {
    name,
    structuredOutput: async (model) => (await loadOnce()).structuredOutput?.(model) ?? 'tool-call',
    stream: (request) =>
      loaded?.stream(request) ?? lazyStream(loadOnce, (provider) => provider.stream(request), request.signal),
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

function lazyStream(
  loadOnce: () => Promise<Provider>,
  open: (provider: Provider) => AsyncIterable<ProviderEvent>,
  signal: AbortSignal | undefined,
): AsyncIterableIterator<ProviderEvent> {
  let inner: AsyncIterator<ProviderEvent> | undefined;
  let first: Promise<AsyncIterator<ProviderEvent>> | undefined;
  let returned = false;

  async function begin(): Promise<AsyncIterator<ProviderEvent>> {
    const provider = await loadOnce();
    signal?.throwIfAborted();
    inner = open(provider)[Symbol.asyncIterator]();
    if (returned) await inner.return?.();
    return inner;
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (returned) return Promise.resolve({ done: true, value: undefined });
      if (inner !== undefined) return inner.next();
      first ??= begin();
      return first.then((iterator) => iterator.next());
    },
    async return() {
      returned = true;
      await inner?.return?.();
      return { done: true, value: undefined };
    },
  };
}
