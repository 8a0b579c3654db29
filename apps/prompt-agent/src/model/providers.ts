import type { Provider } from '@kernel/protocol';
import { createProviders } from '@kernel/providers';

/** The providers that the program knows: those of `@kernel/providers`, and `offline`, which is loaded when it is first used. */
export const providers = createProviders({ offline });

function offline(): Provider {
  const loaded = async (): Promise<Provider> => (await import('@kernel/offline')).offlineProvider();
  let provider: Promise<Provider> | undefined;
  return {
    name: 'offline',
    async *stream(request) {
      provider ??= loaded();
      yield* (await provider).stream(request);
    },
  };
}
