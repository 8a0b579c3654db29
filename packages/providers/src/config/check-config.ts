import type { ResponseLimits } from '../http/limits.ts';
import type { Timeouts } from '../http/timeouts.ts';
import { checkKeys, type KeysOf } from './check-keys.ts';
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
const TIMEOUTS: KeysOf<Timeouts> = { connectMs: true, firstByteMs: true, idleMs: true, totalMs: true };
const LIMITS: KeysOf<ResponseLimits> = { responseBytes: true, lineLength: true };

const MODEL_OPTIONS = 'maxTokens temperature topP stop seed reasoningEffort parallelToolCalls visionOptions'.split(' ');
const TIMEOUT = 'timeouts: { connectMs, firstByteMs, idleMs, totalMs }';
const RETRY = 'withRetry(provider, { maxRetries })';

/** Names that other libraries have for the same thing, and settings that belong elsewhere. */
const INSTEAD: readonly (readonly [string, string])[] = [
  ...['baseURL', 'url', 'endpoint', 'host'].map((name) => [name, 'baseUrl'] as const),
  ...['apiKey', 'api_key', 'key', 'authToken'].map((name) => [name, 'token'] as const),
  ...['timeout', 'timeoutMs'].map((name) => [name, TIMEOUT] as const),
  ...['maxRetries', 'retries', 'retry'].map((name) => [name, RETRY] as const),
  ...MODEL_OPTIONS.map((name) => [name, `options: { ${name} }`] as const),
  ['defaultHeaders', 'headers'],
  ['organization', 'headers: { "OpenAI-Organization": … }'],
  ['project', 'headers: { "OpenAI-Project": … }'],
  ['model', 'model of each request'],
];

/** Which keys a vendor's config has beside the common ones. @internal */
export interface VendorKeys {
  /** The vendor's own keys. */
  readonly own?: Readonly<Record<string, true>>;
  /** Keys of nested settings that are often written beside them, and what to write instead. */
  readonly instead?: readonly (readonly [string, string])[];
}

/** Throws `CONFIG_INVALID` for a key that the vendor's config, its `timeouts` or its `limits` may not have. @internal */
export function checkConfig(config: CommonConfig, { instead = [], own }: VendorKeys = {}): void {
  const { limits, name, timeouts } = config;
  checkKeys(name, config, { ...COMMON, ...own }, { instead: new Map([...INSTEAD, ...instead]) });
  if (timeouts !== undefined) checkKeys(name, timeouts, TIMEOUTS, { path: 'timeouts.' });
  if (limits !== undefined) checkKeys(name, limits, LIMITS, { path: 'limits.' });
}
