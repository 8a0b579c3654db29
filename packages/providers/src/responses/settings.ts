import type { ProviderConfig } from '../config.ts';
import { resolveWire, type WireSettings } from '../settings.ts';

/** Resolves a config for the Responses wire. @internal */
export function resolveResponses(config: ProviderConfig): WireSettings {
  return resolveWire(config, { baseUrl: 'https://api.openai.com', root: '/v1' });
}
