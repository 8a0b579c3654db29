import { isObject, nearest } from '@kernel/internal';
import { describeType, KernelError, type Provider } from '@kernel/protocol';
import { resolveAnthropic } from './anthropic/config.ts';
import { resolveBedrock } from './bedrock/config.ts';
import type { CommonConfig } from './config/common-config.ts';
import { configError } from './config/config-error.ts';
import type { CustomProviderConfig, ProviderConfig, ProviderName } from './config/provider-config.ts';
import { resolveGemini } from './gemini/config.ts';
import { resolveLimits } from './http/limits.ts';
import { resolveTimeouts } from './http/timeouts.ts';
import { lazyProvider, type UnaryMember } from './lazy-provider.ts';
import { isChatPath, resolveOllama } from './ollama/config.ts';
import { resolveChat } from './openai/config.ts';
import { CHAT_PRESETS } from './openai/presets.ts';
import { resolveResponses } from './responses/config.ts';
import type { BaseSettings, Wire } from './wire/wire.ts';

/** Creates a provider of your own from its config. */
export type ProviderFactory = (config: CustomProviderConfig) => Provider;

/** A set of providers by name: the built-in ones and your own. */
export interface ProviderCatalog {
  /**
   * Creates the named provider. The name may be known only at run time; a literal one completes the vendor's fields. Throws
   * `CONFIG_INVALID` for an unknown name (listing the known ones) and for a config that its vendor cannot use.
   */
  create<const Config extends ProviderConfig | CustomProviderConfig>(
    config: Config & (Config['name'] extends ProviderName ? ProviderConfig : unknown),
  ): Provider;
  /** Every known name, sorted. */
  readonly names: readonly string[];
}

type Factory = (config: CommonConfig) => Provider;

const chatCompletions = lazily(resolveChat, ['embed', 'transcribe'], async () =>
  factoryOf((await import('./openai/wire.ts')).chatWire),
);

const ollama = lazily(resolveOllama, ['embed'], async () => factoryOf((await import('./ollama/wire.ts')).ollamaWire));

/** The one table of vendors. A wire is loaded at its first request; its config is checked at once. */
const BUILT_IN: ReadonlyMap<string, Factory> = new Map([
  ...[...CHAT_PRESETS.keys()].map((name) => [name, chatCompletions] as const),
  [
    'openai-responses',
    lazily(resolveResponses, ['countTokens'], async () =>
      factoryOf((await import('./responses/wire.ts')).responsesWire),
    ),
  ],
  [
    'anthropic',
    lazily(resolveAnthropic, ['countTokens'], async () =>
      factoryOf((await import('./anthropic/wire.ts')).anthropicWire),
    ),
  ],
  [
    'gemini',
    lazily(resolveGemini, ['countTokens', 'embed'], async () =>
      factoryOf((await import('./gemini/wire.ts')).geminiWire),
    ),
  ],
  ['ollama', (config) => (isChatPath(config) ? chatCompletions : ollama)(config)],
  [
    'bedrock',
    lazily(resolveBedrock, ['countTokens'], async () => (await import('./bedrock/provider.ts')).createBedrockProvider),
  ],
]);

async function factoryOf<Config extends CommonConfig, Settings extends BaseSettings>(
  wire: Wire<Config, Settings>,
): Promise<(config: Config) => Provider> {
  const { wireProvider } = await import('./wire/wire.ts');
  return (config) => wireProvider(wire, config);
}

function lazily(
  resolve: (config: CommonConfig) => unknown,
  members: readonly UnaryMember[],
  load: () => Promise<Factory>,
) {
  return (config: CommonConfig): Provider => {
    resolve(config);
    resolveTimeouts(config.timeouts);
    resolveLimits(config.limits);
    return lazyProvider(config.name, async () => (await load())(config), members);
  };
}

/**
 * Creates the named provider. Never retries; its wire and undici are loaded at the first request.
 *
 * @example
 * ```ts
 * import { createProvider } from '@kernel/providers';
 *
 * const provider = createProvider({ name: 'anthropic', token: process.env['ANTHROPIC_API_KEY'] ?? '' });
 * const messages = [{ role: 'user', content: 'Hi' }] as const;
 * for await (const event of provider.stream({ model: 'claude-sonnet-4-5', messages }))
 *   if (event.type === 'text-delta') process.stdout.write(event.text);
 * ```
 */
export function createProvider(config: ProviderConfig): Provider {
  return createFrom(BUILT_IN, config);
}

/** Creates a catalog of the built-in providers and `factories`. Throws `CONFIG_INVALID` for a name that is taken. */
export function createProviders(factories: Readonly<Record<string, ProviderFactory>> = {}): ProviderCatalog {
  const table = new Map<string, (config: CustomProviderConfig) => Provider>(BUILT_IN);
  for (const [name, factory] of Object.entries(factories)) {
    if (table.has(name)) {
      throw configError(
        name,
        `the provider name "${name}" is taken.`,
        `Choose another; taken: ${sortedNames(table).join(', ')}.`,
      );
    }
    table.set(name, factory);
  }
  const names = Object.freeze(sortedNames(table));
  return {
    create: (config) => createFrom<CustomProviderConfig>(table, { ...config }),
    names,
  };
}

function createFrom<Config extends CommonConfig>(
  table: ReadonlyMap<string, (config: Config) => Provider>,
  config: Config,
): Provider {
  if (!isObject(config) || typeof config.name !== 'string') {
    const what = isObject(config) ? `a config whose name is ${describeType(config['name'])}` : describeType(config);
    throw new KernelError('CONFIG_INVALID', `A provider is created from a config with a name, not from ${what}.`, {
      hint: `Pass { name: 'openai', token }. Names: ${sortedNames(table).join(', ')}.`,
    });
  }
  const factory = table.get(config.name);
  if (factory !== undefined) return factory(config);
  const names = sortedNames(table);
  const [suggestion] = nearest(config.name, names, 1);
  throw new KernelError('CONFIG_INVALID', `No provider is named "${config.name}". Known: ${names.join(', ')}.`, {
    hint: `${suggestion === undefined ? '' : `Did you mean "${suggestion}"? `}A server that speaks chat completions works with name "openai" and its baseUrl.`,
    data: { name: config.name, known: names },
  });
}

function sortedNames(table: ReadonlyMap<string, unknown>): string[] {
  return [...table.keys()].toSorted();
}
