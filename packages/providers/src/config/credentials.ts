import { KernelError } from '@kernel/protocol';
import type { Redactor } from '../http/redact.ts';

/** A credential, or a function that fetches one: called at the first request and once more after a 401. */
export type TokenSource = string | (() => string | Promise<string>);

/** A provider's credential. */
export interface Token {
  /** The credential, or nothing where there is none. A promise only while one is fetched. */
  current(): string | undefined | Promise<string>;
  /** Fetches a new one in place of `rejected`; concurrent callers share one fetch. Nothing when the source is a fixed value. */
  renew(rejected: string | undefined): Promise<string> | undefined;
  /** Gives up the fetch under way, so that the next caller begins another: nobody waits for a source that hangs. */
  abandon(): void;
}

/** Creates a token from its source. Every value that it gives out is known to `redactor` first. */
export function createToken(source: TokenSource | undefined, provider: string, redactor: Redactor): Token {
  if (typeof source !== 'function') {
    const fixed = source === undefined || source === '' ? undefined : check(source, provider, redactor);
    return { current: () => fixed, renew: () => undefined, abandon: () => undefined };
  }
  let value: string | undefined;
  let fetching: Promise<string> | undefined;

  const fetchOnce = (): Promise<string> => {
    if (fetching !== undefined) return fetching;
    const mine: Promise<string> = ask(source, provider, redactor).then(
      (token) => {
        if (fetching === mine) [value, fetching] = [token, undefined];
        return token;
      },
      (error: unknown) => {
        if (fetching === mine) fetching = undefined;
        throw error;
      },
    );
    fetching = mine;
    return mine;
  };

  return {
    current: () => value ?? fetchOnce(),
    renew(rejected) {
      return value !== undefined && value !== rejected ? Promise.resolve(value) : fetchOnce();
    },
    abandon() {
      fetching = undefined;
    },
  };
}

async function ask(source: () => string | Promise<string>, provider: string, redactor: Redactor): Promise<string> {
  let token: unknown;
  try {
    token = await source();
  } catch (error) {
    if (KernelError.is(error)) throw error;
    throw new KernelError('CONFIG_INVALID', `${provider}: the token function failed.`, { cause: error });
  }
  if (typeof token !== 'string' || token === '') {
    throw new KernelError('CONFIG_INVALID', `${provider}: the token function gave no token.`, {
      hint: 'It must return a non-empty string, or a promise of one.',
    });
  }
  return check(token, provider, redactor);
}

function check(token: string, provider: string, redactor: Redactor): string {
  const clean = token.trim();
  redactor.add(clean);
  if (!/^[\u0021-\u007e\u0080-\u00ff ]+$/.test(clean)) {
    throw new KernelError('CONFIG_INVALID', `${provider}: the token holds a character that no header can carry.`, {
      hint: 'Look for a line break or a quote that was copied with it.',
    });
  }
  return clean;
}
