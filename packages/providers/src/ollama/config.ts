import type { ProviderConfig } from '../config/provider-config.ts';
import { resolveWire, type WireSettings } from '../wire/media.ts';

/** Says whether the address is that of Ollama's chat-completions path. @internal */
export function isChatPath(config: ProviderConfig): boolean {
  return (
    config.baseUrl !== undefined && URL.canParse(config.baseUrl) && /\/v1\/*$/.test(new URL(config.baseUrl).pathname)
  );
}

/** Resolves a config for Ollama's own API; `…/api` at the end of the address is taken as well. @internal */
export function resolveOllama(config: ProviderConfig): WireSettings {
  const settings = resolveWire(config, { baseUrl: 'http://localhost:11434', root: '/api' });
  return { ...settings, root: settings.root.endsWith('/api') ? settings.root : `${settings.root}/api` };
}
