import { createRedactor } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { FetchLike } from '@modelcontextprotocol/client';
import { createAuthFetch } from './flow/auth-fetch.ts';
import { discoverAuthorizationServer } from './flow/discover.ts';
import { revoke } from './flow/refresh.ts';
import { parseSavedSignIn } from './flow/saved-sign-in.ts';
import { checkSignInOptions, type SignInOptions, storeKey } from './sign-in-options.ts';
import { createSignInSession, type Demand, type SignInSession } from './sign-in-session.ts';
import { memoryTokenStore } from './store/token-store.ts';

/** How often one request is sent at most. */
const MAX_ATTEMPTS = 6;
/** The longest scope that a server may ask for. */
const MAX_SCOPE_LENGTH = 4096;
/** How long taking tokens back may take. */
const REVOKE_MS = 15_000;

/**
 * Creates a `fetch` for `connectMcp` that signs in at one MCP server when that asks for it, and sends its tokens to nobody else. Tokens are refreshed before they end;
 * a refresh that is refused, a server that wants more scopes, or one that has another authorization server now, leads to a new sign-in. A server
 * that is never content gets its answer back, with its status, after a few attempts. Rejects with `TOOL_UNAVAILABLE` if signing in fails.
 *
 * Redirects are not followed by it: that is for its caller, which gives each new address to it again.
 *
 * @example
 * const redirect = loopbackRedirect({ onUrl: (url) => console.log(`Open ${url}`) });
 * const grant = { type: 'authorization-code', redirect } as const;
 * const serverUrl = 'https://mcp.example.com/mcp';
 * const fetch = createSignIn({ serverUrl, grant, store: fileTokenStore('tokens.json') });
 * const tools = await connectMcp({ mcpServers: { example: { url: serverUrl } } }, { fetch });
 */
export function createSignIn(options: SignInOptions): FetchLike {
  const serverUrl = checkSignInOptions('createSignIn', options);
  const { grant, scope, store = memoryTokenStore(), fetch = globalThis.fetch } = options;
  const session = createSignInSession({ serverUrl, grant, store, scope, fetch, key: storeKey(serverUrl, grant) });
  const send = createSender(session, fetch);

  return async (input, init) => {
    const url = new URL(input);
    if (!isBelow(url, serverUrl)) return fetch(input, init);
    const signal = init?.signal ?? undefined;
    for (let attempt = 1; ; attempt += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      const { tokens, scope: askedBefore } = await fresh(session, signal);
      // oxlint-disable-next-line no-await-in-loop -- as above
      const response = await send(url, init, tokens);
      const reason = reasonOf(response);
      if (reason === undefined) {
        if (tokens !== undefined) session.onAccepted();
        return response;
      }
      // oxlint-disable-next-line no-await-in-loop -- as above
      const demand = await demandOf(reason, response, tokens?.access_token, askedBefore);
      const isSentOnce = init?.body instanceof ReadableStream || attempt === MAX_ATTEMPTS;
      if (demand === undefined || isSentOnce || !session.mayRenew(demand)) return response;
      // oxlint-disable-next-line no-await-in-loop -- as above
      await response.body?.cancel();
      // oxlint-disable-next-line no-await-in-loop -- as above
      await session.renew(demand, signal);
    }
  };
}

/** Returns whether the store has tokens of `createSignIn` with the same options. The server may refuse them all the same. */
export async function isSignedIn(options: SignInOptions): Promise<boolean> {
  const key = storeKey(checkSignInOptions('isSignedIn', options), options.grant);
  return parseSavedSignIn(await options.store?.load(key)).tokens !== undefined;
}

/**
 * Removes from the store what `createSignIn` with the same options has saved, so that the next sign-in begins anew, and takes the tokens back at the authorization
 * server if that offers it (RFC 7009). Resolves to whether it has: where it offers nothing of the kind, refuses or does not answer within 15 s, the tokens stay valid
 * until they end.
 */
export async function signOut(options: SignInOptions): Promise<boolean> {
  const serverUrl = checkSignInOptions('signOut', options);
  const { store, grant, fetch = globalThis.fetch } = options;
  const key = storeKey(serverUrl, grant);
  if (store === undefined)
    throw new KernelError('CONFIG_INVALID', 'signOut: there is no store.', {
      hint: 'Pass the store that createSignIn was given; without one nothing outlives the sign-in.',
    });
  const text = await store.exclusively(key, async () => {
    const saved = await store.load(key);
    await store.remove(key);
    return saved;
  });
  const saved = parseSavedSignIn(text);
  if (saved.tokens === undefined) return false;
  const sdk = await import('@modelcontextprotocol/client');
  const signal = AbortSignal.timeout(REVOKE_MS);
  try {
    const fetchFn = createAuthFetch(fetch, serverUrl, signal, createRedactor());
    const server = await discoverAuthorizationServer(sdk, serverUrl, undefined, fetchFn);
    return await revoke({ sdk, server, saved, fetchFn }, grant);
  } catch {
    // The tokens are gone from here, which is what a person who signs out sees to.
    return false;
  }
}

/** The tokens, refreshed if they are about to end. */
async function fresh(session: SignInSession, signal: AbortSignal | undefined): ReturnType<SignInSession['current']> {
  const current = await session.current();
  if (current.tokens === undefined || current.refreshAt === undefined || Date.now() < current.refreshAt) return current;
  await session.renew({ stale: current.tokens.access_token, reason: 'ending' }, signal);
  return session.current();
}

type Tokens = Awaited<ReturnType<SignInSession['current']>>['tokens'];

/** Sends requests with their tokens, as the kind of token wants it. */
function createSender(session: SignInSession, fetch: FetchLike) {
  return async (url: URL, init: RequestInit | undefined, tokens: Tokens): Promise<Response> => {
    const redirect = init?.redirect === 'error' ? 'error' : 'manual';
    const dpop = session.dpop();
    if (tokens?.token_type.toLowerCase() === 'dpop' && dpop !== undefined) {
      const { withDpop } = await import('@modelcontextprotocol/client');
      return withDpop(dpop, () => tokens.access_token)(fetch)(url, { ...init, redirect });
    }
    const headers = new Headers(init?.headers);
    if (tokens !== undefined) headers.set('authorization', `Bearer ${tokens.access_token}`);
    return fetch(url, { ...init, headers, redirect });
  };
}

/** Whether an address is the server's, or below it. */
function isBelow({ origin, pathname }: URL, server: URL): boolean {
  const folder = server.pathname.endsWith('/') ? server.pathname : `${server.pathname}/`;
  return origin === server.origin && (pathname === server.pathname || pathname.startsWith(folder));
}

/** Why a server refuses a request, if for want of other tokens. */
function reasonOf({ status, headers }: Response): Demand['reason'] | undefined {
  if (status === 401) return 'refused';
  return status === 403 && /\binsufficient_scope\b/.test(headers.get('www-authenticate') ?? '') ? 'scope' : undefined;
}

/** What a server wants; undefined if it wants nothing that was not asked for before. */
async function demandOf(
  reason: Demand['reason'],
  response: Response,
  stale: string | undefined,
  askedBefore: string | undefined,
): Promise<Demand | undefined> {
  const sdk = await import('@modelcontextprotocol/client');
  const { scope, resourceMetadataUrl } = sdk.extractWWWAuthenticateParams(response);
  if ((scope?.length ?? 0) > MAX_SCOPE_LENGTH) return undefined;
  const isMore = sdk.isStrictScopeSuperset(sdk.computeScopeUnion(askedBefore, scope), askedBefore);
  if (reason === 'scope' && stale !== undefined && !isMore) return undefined;
  const challenges = (response.headers.get('www-authenticate') ?? '').split(',');
  const wantsDpop = challenges.some((each) => /^dpop\b/i.test(each.trim()));
  return { reason, stale, scope, resourceMetadataUrl, wantsDpop };
}
