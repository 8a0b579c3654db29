import type { ProviderConfig } from '../config/provider-config.ts';
import { resolveWire, type WireSettings } from '../wire/media.ts';

/** Resolves a config for the Responses wire. @internal */
export function resolveResponses(config: ProviderConfig): WireSettings {
  return resolveWire(config, { baseUrl: 'https://api.openai.com', root: '/v1' });
}
