import type { ModelOptions } from '@kernel/protocol';
import type { CommonConfig } from '../config/common-config.ts';
import type { ServerToolConfig } from '../config/server-tools.ts';
import { resolveWireSettings, type ServerToolsConfig, type WireSettings } from '../config/wire-settings.ts';

/** The config of Anthropic's Messages API. */
export interface AnthropicConfig extends CommonConfig {
  /** The vendor. */
  readonly name: 'anthropic';
  /** Default model options; a request overrides them key by key. */
  readonly options?: AnthropicOptions | undefined;
  /** The vendor's own tools, offered in every request: web search, code execution and others. */
  readonly serverTools?: readonly ServerToolConfig[] | undefined;
}

/** Model options of the Messages API. It has no `seed`: it is left out with a warning, and so is what the model does not take. */
export interface AnthropicOptions extends ModelOptions {
  /** The maximum number of tokens of the reply. Default 8192. */
  readonly maxTokens?: number | null | undefined;
  /** How much the model may think, as a budget or an effort, whichever the model takes; its tokens are added to `maxTokens`. Default: not set. */
  readonly reasoningEffort?: 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | (string & {}) | null | undefined;
  /** How many of the most likely tokens are sampled from. */
  readonly top_k?: number | null | undefined;
  /** Which processing tier serves the request. */
  readonly service_tier?: 'auto' | 'standard_only' | (string & {}) | null | undefined;
}

export function resolveAnthropic(config: ServerToolsConfig): WireSettings {
  return resolveWireSettings(config, {
    baseUrl: 'https://api.anthropic.com',
    basePath: '/v1',
    authHeader: 'x-api-key',
  });
}
