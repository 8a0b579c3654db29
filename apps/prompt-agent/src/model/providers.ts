import type { Provider } from '@kernel/protocol';
import { createProviders } from '@kernel/providers';

/** The providers that the program knows: those of `@kernel/providers`, and `offline`, which is loaded when it is first used. */
export const providers = createProviders({ offline });

function offline(): Provider {
  let provider: Promise<Provider> | undefined;
  return {
    name: 'offline',
    async *stream(request) {
      provider ??= loadOffline();
      yield* (await provider).stream(request);
    },
  };
}

async function loadOffline(): Promise<Provider> {
  const { offlineProvider } = await import('@kernel/offline');
  return offlineProvider();
}
