import type { Provider } from '@kernel/protocol';
import type { UnnamedConfig } from '../config/common-config.ts';
import { wireProvider } from '../wire/wire.ts';
import type { GeminiConfig } from './config.ts';
import { geminiWire } from './wire.ts';

export type { GeminiConfig, GeminiOptions } from './config.ts';
export type { ServerTool, ServerToolConfig } from '../config/server-tools.ts';
export { codeExecution, googleMaps, googleSearch, urlContext } from './server-tools.ts';

/**
 * Creates a provider over Gemini's generateContent API.
 *
 * @example
 * ```ts
 * import { geminiProvider } from '@kernel/providers/gemini';
 *
 * const provider = geminiProvider({ token: process.env['GEMINI_API_KEY'] ?? '' });
 * const messages = [{ role: 'user', content: 'Hi' }] as const;
 * for await (const event of provider.stream({ model: 'gemini-3-pro', messages }))
 *   if (event.type === 'text-delta') process.stdout.write(event.text);
 * ```
 */
export function geminiProvider(config: UnnamedConfig<GeminiConfig>): Provider {
  return wireProvider(geminiWire, { ...config, name: config.name ?? 'gemini' });
}
