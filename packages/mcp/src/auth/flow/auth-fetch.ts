import { isLoopback, type Redactor } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { FetchLike } from '@modelcontextprotocol/client';
import { limitFetch } from '../../client/transport/limit-fetch.ts';
import { isSecure } from '../sign-in-options.ts';

/** The largest answer of an authorization server. */
const MAX_BYTES = 1024 * 1024;
/** How long an authorization server has for each answer. */
const TIMEOUT_MS = 30_000;
/** What is secret of a request to a token endpoint. */
const SECRET_FIELDS = [
  'assertion',
  'client_assertion',
  'client_secret',
  'code',
  'code_verifier',
  'refresh_token',
  'subject_token',
  'token',
];

/**
 * A `fetch` for metadata and tokens: https alone (or this machine, for a server of this machine), bounded in time and size. What is secret in a
 * request becomes known to `redactor` before it is sent.
 */
export function createAuthFetch(inner: FetchLike, server: URL, signal: AbortSignal, redactor: Redactor): FetchLike {
  const limited = limitFetch(inner, MAX_BYTES);
  return async (input, init) => {
    const url = new URL(input);
    // Otherwise a server could have this program ask what only this machine can reach.
    if (!isSecure(url) || (isLoopback(url.hostname) && !isLoopback(server.hostname)))
      throw new KernelError('TOOL_UNAVAILABLE', `It names ${url.origin} for signing in, which is not asked.`, {
        hint: 'An authorization server must have an https address, which is not on this machine.',
      });
    const { body } = init ?? {};
    const fields = body instanceof URLSearchParams || typeof body === 'string' ? new URLSearchParams(body) : undefined;
    for (const name of SECRET_FIELDS) redactor.add(fields?.get(name) ?? undefined);
    redactor.add(new Headers(init?.headers).get('authorization')?.replace(/^\S+ /, ''));
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return await limited(url, { ...init, signal: AbortSignal.any([signal, timeout]) });
    } catch (error) {
      signal.throwIfAborted();
      if (!timeout.aborted) throw error;
      throw new KernelError('TOOL_UNAVAILABLE', `${url.origin} did not answer within ${TIMEOUT_MS} ms.`, {
        retryable: true,
      });
    }
  };
}
