import { checkKeys, optionKeys, type Provider } from '@kernel/protocol';
import { createProviders, type CustomProviderConfig } from '@kernel/providers';

/** The providers that the program knows: those of `@kernel/providers`, and `offline`, which is loaded when it is first used. */
export const providers = createProviders({ offline });

const OFFLINE_KEYS = optionKeys<CustomProviderConfig>({
  name: true,
  baseUrl: true,
  token: true,
  timeouts: true,
  connections: true,
});

function offline(config: CustomProviderConfig): Provider {
  checkKeys('offline', config, OFFLINE_KEYS);
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
  const [{ offlineProvider }, { TOOL_PHRASES }] = await Promise.all([
    import('@kernel/offline'),
    import('../offline/tool-phrases.ts'),
  ]);
  return offlineProvider({ phrases: TOOL_PHRASES });
}
