import { checkKeys } from '@kernel/protocol';
import { parseBaseUrl } from '../config/base-url.ts';
import { checkConfig, configKeys } from '../config/check-config.ts';
import type { CommonConfig } from '../config/common-config.ts';
import { configError } from '../config/config-error.ts';
import { createAuthorizer } from '../config/credentials.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { type AzureFields, resolveAzureEndpoint } from './azure-config.ts';
import type { ChatOptions } from './chat-options.ts';
import { type ChatModelRules, chatRules, OPENAI_ORIGIN } from './models.ts';
import { CHAT_PRESETS, type ChatPresetName, OPENAI_QUIRKS } from './presets.ts';
import { type ChatQuirks, QUIRK_KEYS, type ResolvedChatQuirks, resolveQuirks } from './quirks.ts';

/** The config of OpenAI and of every server that speaks chat completions. */
export interface ChatConfig extends CommonConfig {
  /** The vendor; `openai` with a `baseUrl` for a server without a preset. */
  readonly name: Exclude<ChatPresetName, 'azure' | 'ollama'>;
  /** How the server differs from its preset. */
  readonly quirks?: ChatQuirks | undefined;
  /** Default model options; a request overrides them key by key. */
  readonly options?: ChatOptions | undefined;
}

/** The config of any server that speaks Chat Completions: those of other vendors, Azure, and the `/v1` of Ollama. */
export interface ChatWireConfig extends CommonConfig, Partial<AzureFields> {
  readonly quirks?: ChatQuirks | undefined;
}

export type ChatOperation = 'chat/completions' | 'embeddings' | 'audio/transcriptions';

export type BatchPath = 'files' | 'batches' | `files/${string}` | `batches/${string}`;

export interface ChatSettings
  extends ResolvedChatQuirks, Pick<WireSettings, 'name' | 'origin' | 'authorize' | 'options'> {
  readonly path: (operation: ChatOperation | BatchPath) => string;
  readonly rulesOf: (model: string) => ChatModelRules;
  /** Named by the config or the preset: the name of a model cannot change it. */
  readonly fixedMaxTokensField: ChatQuirks['maxTokensField'];
}

const CHAT_KEYS = configKeys({ quirks: true });
const AZURE_KEYS = configKeys({ quirks: true, deployment: true, apiVersion: true, authType: true });

export function resolveChat(config: ChatWireConfig): ChatSettings {
  const { name, options = {}, quirks } = config;
  checkConfig(config, name === 'azure' ? AZURE_KEYS : CHAT_KEYS);
  if (quirks !== undefined) checkKeys(name, quirks, QUIRK_KEYS, 'quirks.');
  const preset = CHAT_PRESETS.get(name);
  const baseUrl = config.baseUrl ?? preset?.baseUrl;
  if (baseUrl === undefined) {
    throw configError(name, 'baseUrl is missing.', 'Set the address of the API, such as https://host/v1.');
  }
  const base = parseBaseUrl(name, baseUrl);
  const { origin } = base;
  const isOpenAI = name === 'azure' || origin === OPENAI_ORIGIN;
  const { deployment } = config;
  const common = {
    ...resolveQuirks(isOpenAI ? OPENAI_QUIRKS : undefined, preset?.quirks, quirks),
    name,
    origin,
    options,
    rulesOf: (model: string) => chatRules({ name, isOpenAI, deployment }, model),
    fixedMaxTokensField: quirks?.maxTokensField ?? preset?.quirks?.maxTokensField,
  };
  if (name === 'azure') return { ...common, ...resolveAzureEndpoint(config, base) };
  return {
    ...common,
    path: (operation) => `${base.path}/${operation}${base.query}`,
    authorize: createAuthorizer(config),
  };
}
