import type { JsonObject, ModelOptions } from '@kernel/protocol';
import { configKeys } from '../config/check-config.ts';
import type { CommonConfig } from '../config/common-config.ts';
import { resolveWireSettings, type WireSettings } from '../config/wire-settings.ts';
import type { ChatQuirks } from '../openai/quirks.ts';

/** The config of Ollama: its own API, or chat completions where `baseUrl` ends in `/v1`. */
export interface OllamaConfig extends CommonConfig {
  /** The vendor. */
  readonly name: 'ollama';
  /** Default model options; a request overrides them key by key. */
  readonly options?: OllamaOptions | undefined;
  /** How the server differs from OpenAI. Only for chat completions. */
  readonly quirks?: ChatQuirks | undefined;
}

/** Model options of Ollama. `parallelToolCalls: false` is left out with a warning. */
export interface OllamaOptions extends ModelOptions {
  /** How long the model stays loaded after the request, such as `5m`. */
  readonly keep_alive?: string | number | null | undefined;
  /** Further fields of Ollama's own `options`, such as `num_ctx`. */
  readonly options?: JsonObject | null | undefined;
}

export function isChatPath({ baseUrl }: CommonConfig): boolean {
  return baseUrl !== undefined && URL.canParse(baseUrl) && /\/v1\/*$/.test(new URL(baseUrl).pathname);
}

const KEYS = configKeys();

/** An address that ends in `/api` is accepted as well. */
export function resolveOllama(config: CommonConfig): WireSettings {
  const settings = resolveWireSettings(config, { baseUrl: 'http://localhost:11434', basePath: '/api', keys: KEYS });
  const { basePath } = settings;
  return { ...settings, basePath: basePath.endsWith('/api') ? basePath : `${basePath}/api` };
}
