import { type ProviderConfig, invalidConfig } from '../config/provider-config.ts';
import { type Caller, type CallerSettings, createCaller } from '../http/authenticated-client.ts';
import { resolveTimeouts } from '../http/timeouts.ts';
import { createHttp } from '../http/http.ts';
import { type LimitSettings, resolveLimits } from '../http/limits.ts';
import { createRedactor, isSecretHeader, type Redactor } from '../http/redact.ts';
import { createToken } from '../config/credentials.ts';

/** The transport of one provider: its credentials, its clocks, its one origin. @internal */
export interface Client {
  readonly caller: Caller;
  readonly redactor: Redactor;
  readonly limits: LimitSettings;
}

const MAX_CONNECTIONS = 10;

/** Creates the transport of a provider; nothing is loaded or opened before the first call. @internal */
export function createClient(
  config: ProviderConfig,
  origin: string,
  authorize: CallerSettings['authorize'],
  sign?: CallerSettings['sign'],
): Client {
  const redactor = createRedactor();
  const connections = config.connections ?? MAX_CONNECTIONS;
  if (!Number.isInteger(connections) || connections < 1) {
    throw invalidConfig(config.name, `connections is ${String(connections)}.`, 'Give a whole number from 1.');
  }
  const timeouts = resolveTimeouts(config.timeouts);
  const limits = resolveLimits(config.limits);
  const { responseBytes } = limits;
  const http = createHttp({ provider: config.name, origin, timeouts, connections, redactor, responseBytes });
  const token = createToken(config.auth === 'none' ? undefined : config.token, config.name, redactor);
  const headers = ownHeaders(config, redactor);
  return {
    redactor,
    limits,
    caller: createCaller({ provider: config.name, http, token, redactor, headers, timeouts, authorize, sign }),
  };
}

function ownHeaders(config: ProviderConfig, redactor: Redactor): Readonly<Record<string, string>> {
  const headers = new Map([['user-agent', 'kernel-providers']]);
  for (const [name, value] of Object.entries(config.headers ?? {})) {
    if (isSecretHeader(name)) redactor.add(value.replace(/^(Bearer|Basic) /i, ''));
    headers.set(name.toLowerCase(), value);
  }
  return Object.fromEntries(headers);
}
