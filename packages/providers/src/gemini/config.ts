import type { ProviderConfig } from '../config/provider-config.ts';
import { resolveWire, type WireSettings } from '../wire/media.ts';

/** Resolves a config for the generateContent wire. The key goes into a header, never into the URL. @internal */
export function resolveGemini(config: ProviderConfig): WireSettings {
  return resolveWire(config, {
    baseUrl: 'https://generativelanguage.googleapis.com',
    root: '/v1beta',
    header: 'x-goog-api-key',
  });
}

/** The path of a model's operation, with its query. @internal */
export function geminiPath(settings: WireSettings, model: string, operation: string): string {
  const name = model.includes('/') ? model : `models/${model}`;
  const query = new URLSearchParams(settings.search);
  if (operation === 'streamGenerateContent') query.set('alt', 'sse');
  const path = name.split('/').map(encodeURIComponent).join('/');
  return `${settings.root}/${path}:${operation}${query.size === 0 ? '' : `?${query.toString()}`}`;
}
