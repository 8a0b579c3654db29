import type { Redactor } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { CommonConfig, TokenSource } from './common-config.ts';
import { configError } from './config-error.ts';

export interface Token {
  /** Whether there is nothing to fetch and nothing to renew. */
  readonly isFixed: boolean;
  /** A promise only while one is being fetched. */
  current(): string | undefined | Promise<string>;
  /** Concurrent callers share one fetch. Undefined when the source is a fixed value. */
  renew(rejected: string | undefined): Promise<string> | undefined;
  /** Stops waiting for a source that hangs: the next caller starts another fetch. */
  abandon(): void;
}

/** Every value is added to `redactor` before it is returned. */
export function createToken(source: TokenSource | undefined, provider: string, redactor: Redactor): Token {
  if (typeof source !== 'function') {
    const fixed = source === undefined || source === '' ? undefined : checkToken(source, provider, redactor);
    return { isFixed: true, current: () => fixed, renew: () => undefined, abandon: () => undefined };
  }
  let value: string | undefined;
  let fetching: Promise<string> | undefined;

  const fetchOnce = (): Promise<string> => {
    if (fetching !== undefined) return fetching;
    const fetched: Promise<string> = fetchToken(source, provider, redactor).then(
      (token) => {
        if (fetching === fetched) [value, fetching] = [token, undefined];
        return token;
      },
      (error: unknown) => {
        if (fetching === fetched) fetching = undefined;
        throw error;
      },
    );
    fetching = fetched;
    return fetched;
  };

  return {
    isFixed: false,
    current: () => value ?? fetchOnce(),
    renew(rejected) {
      return value !== undefined && value !== rejected ? Promise.resolve(value) : fetchOnce();
    },
    abandon() {
      fetching = undefined;
    },
  };
}

export function createAuthorizer(
  { name, auth, authHeader }: CommonConfig,
  vendorHeader?: string,
): (token: string) => Readonly<Record<string, string>> {
  const scheme = auth ?? (authHeader === undefined && vendorHeader === undefined ? 'bearer' : 'api_key');
  switch (scheme) {
    case 'none':
      return () => ({});
    case 'api_key': {
      const header = (authHeader ?? vendorHeader ?? 'X-API-Key').toLowerCase();
      return (token) => ({ [header]: token });
    }
    case 'bearer':
      return (token) => ({ authorization: `Bearer ${token}` });
    default:
      throw configError(name, `auth is "${String(scheme)}".`, 'Use bearer, api_key or none.');
  }
}

async function fetchToken(
  source: () => string | Promise<string>,
  provider: string,
  redactor: Redactor,
): Promise<string> {
  let token: unknown;
  try {
    token = await source();
  } catch (error) {
    if (KernelError.is(error)) throw error;
    throw new KernelError('CONFIG_INVALID', `${provider}: the token function failed.`, { cause: error });
  }
  if (typeof token !== 'string' || token === '') {
    throw configError(
      provider,
      'the token function returned no token.',
      'It must return a non-empty string, or a promise of one.',
    );
  }
  return checkToken(token, provider, redactor);
}

function checkToken(token: string, provider: string, redactor: Redactor): string {
  const clean = token.trim();
  redactor.add(clean);
  if (!/^[\u0021-\u007e\u0080-\u00ff ]+$/.test(clean)) {
    throw configError(
      provider,
      'the token contains a character that no header can carry.',
      'Look for a line break or a quote that was copied with it.',
    );
  }
  return clean;
}
