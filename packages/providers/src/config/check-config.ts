import { checkKeys, type KeysOf, type OptionKeys, optionKeys } from '@kernel/protocol';
import type { ResponseLimits } from '../http/limits.ts';
import type { Timeouts } from '../http/timeouts.ts';
import type { CommonConfig } from './common-config.ts';

const COMMON: KeysOf<CommonConfig> = {
  name: true,
  baseUrl: true,
  token: true,
  auth: true,
  authHeader: true,
  headers: true,
  timeouts: true,
  limits: true,
  connections: true,
  options: true,
};
const TIMEOUTS = optionKeys<Timeouts>({ connectMs: true, firstByteMs: true, idleMs: true, totalMs: true });
const LIMITS = optionKeys<ResponseLimits>({ responseBytes: true, lineLength: true });

const MODEL_OPTIONS = 'maxTokens temperature topP stop seed reasoningEffort parallelToolCalls visionOptions'.split(' ');

/** Names that other libraries have for the same thing, and settings that belong elsewhere. */
const FOREIGN: Readonly<Record<string, string>> = {
  ...useFor(['baseURL', 'url', 'endpoint', 'host'], 'baseUrl'),
  ...useFor(['apiKey', 'api_key', 'key', 'authToken'], 'token'),
  ...useFor(['timeout', 'timeoutMs'], 'timeouts: { connectMs, firstByteMs, idleMs, totalMs }'),
  ...useFor(['maxRetries', 'retries', 'retry'], 'withRetry(provider, { maxRetries })'),
  ...useInside('options', MODEL_OPTIONS),
  ...useFor(['defaultHeaders'], 'headers'),
  ...useFor(['organization'], 'headers: { "OpenAI-Organization": … }'),
  ...useFor(['project'], 'headers: { "OpenAI-Project": … }'),
  ...useFor(['model'], 'model of each request'),
};

/** Hints for names of other libraries that all mean `use`. @internal */
export function useFor(names: readonly string[], use: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, `Use ${use}.`]));
}

/** Hints for keys that belong into a nested object. @internal */
export function useInside(parent: string, keys: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.map((key) => [key, `Use ${parent}: { ${key} }.`]));
}

/** The keys of a vendor's config: its own beside the common ones. @internal */
export function configKeys(
  own: Readonly<Record<string, true>> = {},
  foreign: Readonly<Record<string, string>> = {},
): OptionKeys {
  return optionKeys<Record<string, unknown>>({ ...COMMON, ...own }, { ...FOREIGN, ...foreign });
}

const COMMON_KEYS = configKeys();

/** Throws `CONFIG_INVALID` for a key that the vendor's config, its `timeouts` or its `limits` may not have. @internal */
export function checkConfig(config: CommonConfig, keys: OptionKeys = COMMON_KEYS): void {
  const { limits, name, timeouts } = config;
  checkKeys(name, config, keys);
  if (timeouts !== undefined) checkKeys(name, timeouts, TIMEOUTS, 'timeouts.');
  if (limits !== undefined) checkKeys(name, limits, LIMITS, 'limits.');
}
