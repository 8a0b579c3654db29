import { checkKeys, type ModelOptions } from '@kernel/protocol';
import { parseBaseUrl } from '../config/base-url.ts';
import { checkConfig, configKeys } from '../config/check-config.ts';
import type { CommonConfig } from '../config/common-config.ts';
import { configError } from '../config/config-error.ts';
import { createAuthorizer } from '../config/credentials.ts';
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

/** A config for the chat-completions wire under any name: chat servers, Azure, and Ollama's `/v1`. @internal */
export interface ChatWireConfig extends CommonConfig, Partial<AzureFields> {
  /** How the server differs from its preset. */
  readonly quirks?: ChatQuirks | undefined;
}

/** An operation of the API. @internal */
export type ChatOperation = 'chat/completions' | 'embeddings' | 'audio/transcriptions';

/** An operation of the API of files and batches. @internal */
export type BatchPath = 'files' | 'batches' | `files/${string}` | `batches/${string}`;

/** The settings of one provider: its quirks, and where its requests go. @internal */
export interface ChatSettings extends ResolvedChatQuirks {
  /** The provider's name. */
  readonly name: string;
  /** Scheme, host and port of the API. */
  readonly origin: string;
  /** The path of an operation, with its query. */
  readonly path: (operation: ChatOperation | BatchPath) => string;
  /** Returns the header that carries a token. */
  readonly authorize: (token: string) => Readonly<Record<string, string>>;
  /** Default model options. */
  readonly options: ModelOptions;
  /** What a model accepts there. */
  readonly rulesOf: (model: string) => ChatModelRules;
  /** The body field that the config or the preset names for the limit of the reply; the name of a model cannot change it. */
  readonly fixedMaxTokensField: ChatQuirks['maxTokensField'];
}

const CHAT_KEYS = configKeys({ quirks: true });
const AZURE_KEYS = configKeys({ quirks: true, deployment: true, apiVersion: true, authType: true });

/** Resolves a config for the chat-completions wire. Throws `CONFIG_INVALID` naming the setting that is missing or wrong. @internal */
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
