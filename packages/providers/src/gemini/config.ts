import type { JsonObject, ModelOptions } from '@kernel/protocol';
import { toPathSegment } from '../config/base-url.ts';
import type { CommonConfig } from '../config/common-config.ts';
import type { ServerToolConfig } from '../config/server-tools.ts';
import { resolveWireSettings, type ServerToolsConfig, type WireSettings } from '../config/wire-settings.ts';

/** The config of Gemini's generateContent API. */
export interface GeminiConfig extends CommonConfig {
  /** The vendor. */
  readonly name: 'gemini';
  /** Default model options; a request overrides them key by key. */
  readonly options?: GeminiOptions | undefined;
  /** The vendor's own tools, offered in every request: web search, code execution and others. */
  readonly serverTools?: readonly ServerToolConfig[] | undefined;
}

/** Model options of the generateContent API. `parallelToolCalls: false` is left out with a warning. */
export interface GeminiOptions extends ModelOptions {
  /** Further fields of `generationConfig`, such as `topK`. */
  readonly generationConfig?: JsonObject | null | undefined;
  /** What is blocked, by category. */
  readonly safetySettings?:
    | readonly {
        /** The kind of content, such as `HARM_CATEGORY_HARASSMENT`. */
        readonly category: string;
        /** From which probability on it is blocked, such as `BLOCK_ONLY_HIGH`. */
        readonly threshold: string;
      }[]
    | undefined;
}

/** The key goes into a header, never into the URL. */
export function resolveGemini(config: ServerToolsConfig): WireSettings {
  return resolveWireSettings(config, {
    baseUrl: 'https://generativelanguage.googleapis.com',
    basePath: '/v1beta',
    authHeader: 'x-goog-api-key',
  });
}

export function geminiPath(settings: WireSettings, model: string, operation: string): string {
  const query = new URLSearchParams(settings.query);
  if (operation === 'streamGenerateContent') query.set('alt', 'sse');
  const path = resourceName(model).split('/').map(toPathSegment).join('/');
  return `${settings.basePath}/${path}:${operation}${query.size === 0 ? '' : `?${query.toString()}`}`;
}

export function cachedContentName(content: string): string {
  return content.includes('/') ? content : `cachedContents/${content}`;
}

export function resourceName(model: string): string {
  return model.includes('/') ? model : `models/${model}`;
}
