import { azureSettings } from './azure-endpoint.ts';
import { authorizer, invalidConfig, parseBaseUrl, type ProviderConfig } from '../config/provider-config.ts';
import { CHAT_PRESETS } from './presets.ts';
import type { ChatSettings } from './quirks.ts';

/** A provider of this wire, resolved: where to, how to say who we are, and the dialect. @internal */
export interface ResolvedChat {
  readonly settings: ChatSettings;
  readonly authorize: (token: string) => Readonly<Record<string, string>>;
}

/** Resolves a config for the chat-completions wire. Throws `CONFIG_INVALID` naming the setting that is missing or wrong. @internal */
export function resolveChat(config: ProviderConfig): ResolvedChat {
  const { name } = config;
  const written = config.baseUrl ?? CHAT_PRESETS.get(name)?.baseUrl;
  if (written === undefined) {
    throw invalidConfig(name, 'baseUrl is missing.', 'Set the address of the API, such as https://host/v1.');
  }
  const base = parseBaseUrl(name, written);
  if (name === 'azure') {
    const azure = azureSettings(config, base);
    return {
      settings: { ...quirks(config, false), origin: base.origin, path: azure.path },
      authorize: azure.authorize,
    };
  }
  return {
    settings: {
      ...quirks(config, base.origin === 'https://api.openai.com'),
      origin: base.origin,
      path: (operation) => `${base.path}/${operation}${base.search}`,
    },
    authorize: authorizer(config),
  };
}

function quirks(config: ProviderConfig, official: boolean): Omit<ChatSettings, 'origin' | 'path'> {
  const preset = CHAT_PRESETS.get(config.name) ?? {};
  return {
    name: config.name,
    maxTokensField:
      config.maxTokensField ?? preset.maxTokensField ?? (official ? 'max_completion_tokens' : 'max_tokens'),
    seedField: preset.seedField ?? 'seed',
    reasoningField: config.reasoningField ?? preset.reasoningField,
    reasoningDetails: preset.reasoningDetails ?? false,
    sendStrict: config.sendStrict ?? preset.sendStrict ?? true,
    streamUsage: config.streamUsage ?? preset.streamUsage ?? true,
    parallelCalls: preset.parallelCalls ?? true,
    requiredChoice: preset.requiredChoice ?? 'required',
    callIds: preset.callIds ?? (official ? 'upTo40' : 'any'),
    dialect: preset.dialect ?? 'openai',
    responseFormat: preset.responseFormat ?? 'schema',
    options: config.options ?? {},
  };
}
