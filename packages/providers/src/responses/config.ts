import type { ModelOptions } from '@kernel/protocol';
import type { CommonConfig } from '../config/common-config.ts';
import type { ServerToolConfig } from '../config/server-tools.ts';
import { resolveWireSettings, type ServerToolsConfig, type WireSettings } from '../config/wire-settings.ts';

/** The config of OpenAI's Responses API. */
export interface ResponsesConfig extends CommonConfig {
  /** The vendor. */
  readonly name: 'openai-responses';
  /** Default model options; a request overrides them key by key. */
  readonly options?: ResponsesOptions | undefined;
  /** The vendor's own tools, offered in every request: web search, code execution and others. */
  readonly serverTools?: readonly ServerToolConfig[] | undefined;
}

/** Model options of the Responses API. It has neither `seed` nor `stop`: they are left out with a warning. */
export interface ResponsesOptions extends ModelOptions {
  /**
   * Whether the vendor generates the response in the background, for replies that take minutes. The vendor stores it, so `store` cannot be false. A
   * broken stream is resumed, and a reply in one piece is polled; the `timeouts` apply to each connection, except `totalMs`, which applies to the
   * reply. Aborting or leaving the stream cancels the response, without waiting for the vendor's answer. Default false.
   */
  readonly background?: boolean | null | undefined;
  /** Whether the vendor stores the response. Default false; true in the background. */
  readonly store?: boolean | null | undefined;
  /** Which processing tier serves the request. */
  readonly service_tier?: 'auto' | 'default' | 'flex' | 'priority' | (string & {}) | null | undefined;
  /** What to do with input that exceeds the context window. */
  readonly truncation?: 'auto' | 'disabled' | null | undefined;
}

export function resolveResponses(config: ServerToolsConfig): WireSettings {
  return resolveWireSettings(config, {
    baseUrl: 'https://api.openai.com',
    basePath: '/v1',
  });
}
