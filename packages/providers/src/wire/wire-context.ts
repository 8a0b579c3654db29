import { createRedactor, type Redactor } from '@kernel/internal';
import type { CommonConfig } from '../config/common-config.ts';
import { configError } from '../config/config-error.ts';
import { createToken } from '../config/credentials.ts';
import { type AuthenticatedClient, createAuthenticatedClient, type Signer } from '../http/authenticated-client.ts';
import { DEFAULT_USER_AGENT, isSecretHeader } from '../http/headers.ts';
import { type ResolvedLimits, resolveLimits } from '../http/limits.ts';
import { type ResolvedTimeouts, resolveTimeouts } from '../http/timeouts.ts';

export interface WireContext {
  readonly client: AuthenticatedClient;
  readonly redactor: Redactor;
  readonly limits: ResolvedLimits;
  readonly timeouts: ResolvedTimeouts;
}

export interface WireContextOptions {
  readonly origin: string;
  readonly authorize: (token: string) => Readonly<Record<string, string>>;
  /** Those of the config win. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Besides the credential. */
  readonly secrets?: readonly string[] | undefined;
  readonly createSigner?: ((redactor: Redactor) => Signer | undefined) | undefined;
}

const DEFAULT_CONNECTIONS = 10;

/** Nothing is loaded or opened before the first request. */
export function createWireContext(config: CommonConfig, options: WireContextOptions): WireContext {
  const { authorize, createSigner, origin } = options;
  const redactor = createRedactor();
  for (const secret of options.secrets ?? []) redactor.add(secret);
  const connections = config.connections ?? DEFAULT_CONNECTIONS;
  if (!Number.isInteger(connections) || connections < 1) {
    throw configError(config.name, `connections is ${String(connections)}.`, 'Use a whole number from 1.');
  }
  const limits = resolveLimits(config.limits);
  const timeouts = resolveTimeouts(config.timeouts);
  const client = createAuthenticatedClient({
    provider: config.name,
    origin,
    connections,
    fetch: config.fetch,
    proxy: config.proxy,
    tls: config.tls,
    socketPath: config.socketPath,
    redactor,
    authorize,
    timeouts,
    responseBytes: limits.responseBytes,
    token: createToken(config.auth === 'none' ? undefined : config.token, config.name, redactor),
    headers: requestHeaders(options.headers, config.headers, redactor),
    sign: createSigner?.(redactor),
  });
  return { client, redactor, limits, timeouts };
}

/** Those of the config win. Names of beta features are joined. */
function requestHeaders(
  required: Readonly<Record<string, string>> = {},
  configured: Readonly<Record<string, string>> = {},
  redactor: Redactor,
): Readonly<Record<string, string>> {
  const headers = new Map([['user-agent', DEFAULT_USER_AGENT]]);
  for (const [given, value] of [...Object.entries(required), ...Object.entries(configured)]) {
    const name = given.toLowerCase();
    if (isSecretHeader(name)) redactor.add(value.replace(/^(Bearer|Basic) /i, ''));
    const known = name.endsWith('-beta') ? headers.get(name) : undefined;
    headers.set(name, known === undefined ? value : `${known},${value}`);
  }
  return Object.fromEntries(headers);
}
