import { KernelError, type Provider, type ProviderEvent } from '@kernel/protocol';

/** Which members a provider has that is not loaded yet. @internal */
export interface LazyAbilities {
  readonly embeds: boolean;
  readonly transcribes: boolean;
}

/** Creates a provider whose wire is loaded at its first request, once. @internal */
export function lazyProvider(name: string, load: () => Promise<Provider>, abilities: LazyAbilities): Provider {
  let loading: Promise<Provider> | undefined;
  let loaded: Provider | undefined;
  const wire = (): Promise<Provider> => (loading ??= load().then((provider) => (loaded = provider)));
  return {
    name,
    stream: (request) =>
      loaded?.stream(request) ?? lazyStream(wire, (provider) => provider.stream(request), request.signal),
    ...(abilities.embeds ? { embed: async (request) => (await member(wire, name, 'embed'))(request) } : {}),
    ...(abilities.transcribes
      ? { transcribe: async (request) => (await member(wire, name, 'transcribe'))(request) }
      : {}),
  };
}

async function member<K extends 'embed' | 'transcribe'>(
  wire: () => Promise<Provider>,
  name: string,
  key: K,
): Promise<NonNullable<Provider[K]>> {
  const found = (await wire())[key];
  if (found === undefined) throw new KernelError('PROVIDER_UNSUPPORTED', `${name} has no ${key}.`);
  return found;
}

function lazyStream(
  wire: () => Promise<Provider>,
  open: (provider: Provider) => AsyncIterable<ProviderEvent>,
  signal: AbortSignal | undefined,
): AsyncIterableIterator<ProviderEvent> {
  let inner: AsyncIterator<ProviderEvent> | undefined;
  let first: Promise<AsyncIterator<ProviderEvent>> | undefined;
  let left = false;

  async function begin(): Promise<AsyncIterator<ProviderEvent>> {
    const provider = await wire();
    signal?.throwIfAborted();
    inner = open(provider)[Symbol.asyncIterator]();
    if (left) await inner.return?.();
    return inner;
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (left) return Promise.resolve({ done: true, value: undefined });
      if (inner !== undefined) return inner.next();
      first ??= begin();
      return first.then((iterator) => iterator.next());
    },
    async return() {
      left = true;
      await inner?.return?.();
      return { done: true, value: undefined };
    },
  };
}
