import { describeType, KernelError, type Toolset, type Approve } from '@kernel/protocol';
import { createModelClient } from '../client/model-client.ts';
import { createModelClients, type ModelClients } from '../client/model-clients.ts';
import type { ModelClient, ModelClientOptions } from '../client/types.ts';
import { type ProviderFunctions, providerFromConfig } from './provider-from-config.ts';
import { type AgentConfig, CAPABILITIES } from './types.ts';

/** What a config file cannot contain. */
export interface ConfiguredClientOptions {
  /** The tools of `run`. */
  readonly tools?: Toolset | undefined;
  /** The approval of `run`. */
  readonly approve?: Approve | undefined;
}

/**
 * Creates the agent of a config: its provider, its model, and a client that is bound to both.
 *
 * `providers` is the module `@kernel/providers`. Throws `CONFIG_INVALID` if the config names no model, or has an option that its provider does
 * not have. Sends nothing.
 */
export function clientFromConfig(
  config: AgentConfig,
  providers: ProviderFunctions,
  options: ConfiguredClientOptions = {},
): ModelClient {
  checkParsed(config);
  const { approve, tools } = options;
  return createModelClient({
    name: config.name,
    provider: providerFromConfig(config, providers),
    model: modelOf(config),
    system: config.systemPrompt,
    capabilities: capabilitiesOf(config),
    ...(config.maxIterations === undefined ? {} : { limits: { turns: config.maxIterations } }),
    tools,
    approve,
  });
}

/** Creates the agents of `agents` in a config, each at its first use, and the config's own one under its name. */
export function clientsFromConfig(
  config: AgentConfig,
  providers: ProviderFunctions,
  options: ConfiguredClientOptions = {},
): ModelClients {
  checkParsed(config);
  const { agents = {} } = config;
  if (Object.hasOwn(agents, config.name))
    throw new KernelError('CONFIG_INVALID', `Two agents of the config are named "${config.name}".`, {
      hint: 'Rename one of them.',
    });
  const configs = Object.entries({ [config.name]: config, ...agents });
  return createModelClients(
    Object.fromEntries(configs.map(([name, each]) => [name, () => clientFromConfig(each, providers, options)])),
  );
}

/** Throws `CONFIG_INVALID` for JSON that was not read, and for the result of `fromConfig` in place of its config. */
function checkParsed(config: Partial<AgentConfig> | null | undefined): void {
  if (typeof config?.client === 'object' && typeof config.provider === 'object' && typeof config.model === 'object')
    return;
  throw new KernelError('CONFIG_INVALID', `A config was expected, not ${describeType(config)} without its blocks.`, {
    hint: 'Pass the config that fromConfig returns: const { config } = fromConfig(json).',
  });
}

function modelOf({ model, name, provider }: AgentConfig): string {
  const chosen = model.name ?? provider.deployment;
  if (chosen !== undefined && chosen !== '') return chosen;
  throw new KernelError('CONFIG_INVALID', `The config of "${name}" names no model.`, { hint: 'Set model.name.' });
}

function capabilitiesOf({ model }: AgentConfig): NonNullable<ModelClientOptions['capabilities']> {
  const entries = CAPABILITIES.flatMap((capability) => {
    const options = model.capabilities[capability];
    return options === undefined ? [] : [[capability, options] as const];
  });
  return Object.fromEntries(entries);
}
