import { KernelError } from '@kernel/protocol';

/** Both parts are secrets, since some proxies take a token as the user name. */
export interface ProxyCredential {
  readonly user: string;
  readonly password: string;
}

export function readProxyCredential(provider: string, { origin, password, username }: URL): ProxyCredential {
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    throw new KernelError(
      'CONFIG_INVALID',
      `${provider}: the user name or password of the proxy ${origin} has a percent sign that encodes nothing.`,
      { hint: 'Write a percent sign of a user name or password as %25.' },
    );
  }
}
