import { checkKeys, type KeysOf, optionKeys } from '@kernel/protocol';
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

export function configKeys(own: Readonly<Record<string, true>> = {}): ReadonlySet<string> {
  return optionKeys<Record<string, unknown>>({ ...COMMON, ...own });
}

const COMMON_KEYS = configKeys();

export function checkConfig(config: CommonConfig, keys: ReadonlySet<string> = COMMON_KEYS): void {
  const { limits, name, timeouts } = config;
  checkKeys(name, config, keys);
  checkConnection(config);
  if (timeouts !== undefined) checkKeys(name, timeouts, TIMEOUTS, 'timeouts.');
  if (limits !== undefined) checkKeys(name, limits, LIMITS, 'limits.');
}
