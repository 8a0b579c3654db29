import { hintForKeys, checkKeys, type KeysOf, type OptionKeys, optionKeys } from '@kernel/protocol';
import type { ResponseLimits } from '../http/limits.ts';
import type { Timeouts } from '../http/timeouts.ts';
import { checkConnection } from './check-connection.ts';
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
  fetch: true,
  proxy: true,
  tls: true,
  socketPath: true,
  options: true,
};
const TIMEOUTS = optionKeys<Timeouts>({ connectMs: true, firstByteMs: true, idleMs: true, totalMs: true });
const LIMITS = optionKeys<ResponseLimits>({ responseBytes: true, lineLength: true });

const MODEL_OPTIONS = 'maxTokens temperature topP stop seed reasoningEffort parallelToolCalls visionOptions'.split(' ');

/** Names that other libraries have for the same thing, and settings that belong elsewhere. */
const FOREIGN: Readonly<Record<string, string>> = {
  ...hintForKeys(['baseURL', 'url', 'endpoint', 'host'], 'Use baseUrl.'),
  ...hintForKeys(['apiKey', 'api_key', 'key', 'authToken'], 'Use token.'),
  ...hintForKeys(['timeout', 'timeoutMs'], 'Use timeouts: { connectMs, firstByteMs, idleMs, totalMs }.'),
  ...hintForKeys(['maxRetries', 'retries', 'retry'], 'Use withRetry(provider, { maxRetries }).'),
  ...nestedHints('options', MODEL_OPTIONS),
  ...hintForKeys(
    ['httpsProxy', 'httpProxy', 'proxyUrl', 'agent', 'httpAgent', 'dispatcher'],
    'Use proxy, tls or fetch.',
  ),
  ...nestedHints('tls', ['ca', 'cert', 'passphrase', 'servername', 'rejectUnauthorized']),
  ...hintForKeys(['defaultHeaders'], 'Use headers.'),
  ...hintForKeys(['organization'], 'Use headers: { "OpenAI-Organization": … }.'),
  ...hintForKeys(['project'], 'Use headers: { "OpenAI-Project": … }.'),
  ...hintForKeys(['model'], 'Use model of each request.'),
};

/** Hints for keys that belong in a nested object. @internal */
export function nestedHints(parent: string, keys: readonly string[]): Readonly<Record<string, string>> {
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
  checkConnection(config);
  if (timeouts !== undefined) checkKeys(name, timeouts, TIMEOUTS, 'timeouts.');
  if (limits !== undefined) checkKeys(name, limits, LIMITS, 'limits.');
}
