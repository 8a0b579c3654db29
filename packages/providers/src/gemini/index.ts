import type { Provider } from '@kernel/protocol';
import type { UnnamedConfig } from '../config/common-config.ts';
import { wireProvider } from '../wire/wire.ts';
import type { GeminiConfig } from './config.ts';
import { geminiWire } from './wire.ts';

export type { GeminiConfig, GeminiOptions } from './config.ts';
export type { ServerTool, ServerToolConfig } from '../config/server-tools.ts';
export { codeExecution, googleMaps, googleSearch, urlContext } from './server-tools.ts';

/** Creates a provider over Gemini's generateContent API. */
export function geminiProvider(config: UnnamedConfig<GeminiConfig>): Provider {
  return wireProvider(geminiWire, { ...config, name: config.name ?? 'gemini' });
}
