import { KernelError, type Provider } from '@kernel/protocol';
import { invalidConfig, type ProviderConfig } from './config/provider-config.ts';
import { type LazyAbilities, lazyProvider } from './lazy-provider.ts';
import { nearest } from './nearest.ts';
import { resolveAnthropic } from './anthropic/config.ts';
import { resolveBedrock } from './bedrock/config.ts';
import { resolveGemini } from './gemini/config.ts';
import { isChatPath, resolveOllama } from './ollama/config.ts';
import { CHAT_PRESETS } from './openai/presets.ts';
import { resolveChat } from './openai/config.ts';
import { resolveResponses } from './responses/config.ts';
import { resolveTimeouts } from './http/timeouts.ts';
import { resolveLimits } from './http/limits.ts';

/** Makes a provider from its config. */
export type ProviderFactory = (config: ProviderConfig) => Provider;

/** A set of providers by name: the built-in ones and the caller's. */
export interface ProviderCatalog {
  /** Throws `CONFIG_INVALID` for an unknown name (listing the known ones) and for a config that its vendor cannot use. */
  create(config: ProviderConfig): Provider;
  /** Every known name, sorted. */
  readonly names: readonly string[];
}

const EMBEDS: LazyAbilities = { embeds: true, transcribes: false };

/** The one table of wires. Each is loaded at the first request; what can be checked is checked at once. */
const BUILT_IN: ReadonlyMap<string, ProviderFactory> = new Map([
  ...[...CHAT_PRESETS.keys()].map((name) => [name, chatCompletions] as const),
  ['openai-responses', lazily(resolveResponses, async () => (await import('./responses/index.ts')).responsesProvider)],
  ['anthropic', lazily(resolveAnthropic, async () => (await import('./anthropic/index.ts')).anthropicProvider)],
  ['gemini', lazily(resolveGemini, async () => (await import('./gemini/index.ts')).geminiProvider, EMBEDS)],
  ['ollama', ollama],
  ['bedrock', lazily(resolveBedrock, async () => (await import('./bedrock/index.ts')).bedrockProvider)],
  ['offline', offline],
]);

function chatCompletions(config: ProviderConfig): Provider {
  return lazily(resolveChat, async () => (await import('./openai/index.ts')).openaiProvider, {
    embeds: true,
    transcribes: true,
  })(config);
}

/** Ollama's own API, or chat completions where the address ends in `/v1`. */
function ollama(config: ProviderConfig): Provider {
  if (isChatPath(config)) return chatCompletions(config);
  return lazily(resolveOllama, async () => (await import('./ollama/index.ts')).ollamaProvider, EMBEDS)(config);
}

function lazily(
  check: (config: ProviderConfig) => unknown,
  load: () => Promise<(config: ProviderConfig) => Provider>,
  abilities: LazyAbilities = { embeds: false, transcribes: false },
): ProviderFactory {
  return (config) => {
    check(config);
    resolveTimeouts(config.timeouts);
    resolveLimits(config.limits);
    return lazyProvider(config.name, async () => (await load())(config), abilities);
  };
}

function offline(): Provider {
  return lazyProvider('offline', async () => (await import('./offline/index.ts')).offlineProvider(), {
    embeds: false,
    transcribes: false,
  });
}

/** Creates the named provider. Never retries; its wire and undici are loaded at the first request. */
export function createProvider(config: ProviderConfig): Provider {
  return createFrom(BUILT_IN, config);
}

/** Creates a catalog of the built-in providers and `factories`; no state is shared with another. Throws `CONFIG_INVALID` for a taken name. */
export function createProviders(factories: Readonly<Record<string, ProviderFactory>> = {}): ProviderCatalog {
  const table = new Map(BUILT_IN);
  for (const [name, factory] of Object.entries(factories)) {
    if (table.has(name)) {
      throw invalidConfig(
        name,
        `the provider name "${name}" is taken.`,
        `Choose another; taken: ${sorted(table).join(', ')}.`,
      );
    }
    table.set(name, factory);
  }
  const names = Object.freeze(sorted(table));
  return { create: (config) => createFrom(table, config), names };
}

function createFrom(table: ReadonlyMap<string, ProviderFactory>, config: ProviderConfig): Provider {
  const factory = table.get(config.name);
  if (factory !== undefined) return factory(config);
  const names = sorted(table);
  const near = nearest(config.name, names);
  throw new KernelError('CONFIG_INVALID', `No provider is named "${config.name}". Known: ${names.join(', ')}.`, {
    hint: `${near === undefined ? '' : `Did you mean "${near}"? `}A server that speaks chat completions works with name "openai" and its baseUrl.`,
    data: { name: config.name, known: names },
  });
}

function sorted(table: ReadonlyMap<string, unknown>): string[] {
  return [...table.keys()].toSorted();
}
