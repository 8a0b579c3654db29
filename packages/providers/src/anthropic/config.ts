import type { ProviderConfig } from '../config/provider-config.ts';
import { resolveWire, type WireSettings } from '../wire/media.ts';

/** Resolves a config for the Messages wire. @internal */
export function resolveAnthropic(config: ProviderConfig): WireSettings {
  return resolveWire(config, { baseUrl: 'https://api.anthropic.com', root: '/v1', header: 'x-api-key' });
}
