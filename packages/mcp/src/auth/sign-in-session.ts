import type { webcrypto } from 'node:crypto';
import { createRedactor, type Redactor } from '@kernel/internal';
import type { DpopSession, FetchLike } from '@modelcontextprotocol/client';
import type { ClientSdk } from '../client/transport/server-link.ts';
import { createAuthFetch } from './flow/auth-fetch.ts';
import { discoverAuthorizationServer } from './flow/discover.ts';
import { createDpopKey, openDpopSession } from './flow/dpop-session.ts';
import type { Flow } from './flow/flow.ts';
import { refresh } from './flow/refresh.ts';
import { parseSavedSignIn, type SavedSignIn } from './flow/saved-sign-in.ts';
import { signInAlone } from './flow/sign-in-alone.ts';
import { signInAsPerson } from './flow/sign-in-as-person.ts';
import { createSharedWork } from './shared-work.ts';
import { toSignInError } from './sign-in-error.ts';
import type { SignInGrant } from './sign-in-options.ts';
import type { TokenStore } from './store/token-store.ts';

/** Why new tokens are wanted. */
export interface Demand {
  /** The access token that does not do any more. */
  readonly stale: string | undefined;
  /** What the server wants signed in with, besides what was asked for before. */
  readonly scope?: string | undefined;
  readonly resourceMetadataUrl?: URL | undefined;
  readonly wantsDpop?: boolean | undefined;
  /** What may be done: only what needs no person, a refresh too, or a new sign-in. */
  readonly by: 'refresh-only' | 'refresh' | 'sign-in';
}

export interface SignInSession {
  /** What is known now, loaded from the store at first. */
  current(): Promise<SavedSignIn>;
  /** Gets new tokens, or what another process has saved meanwhile. */
  renew(demand: Demand, signal: AbortSignal | undefined): Promise<void>;
  dpop(): DpopSession | undefined;
}

interface SessionSettings {
  readonly serverUrl: URL;
  readonly grant: SignInGrant;
  readonly store: TokenStore;
  readonly key: string;
  readonly scope: string | undefined;
  readonly fetch: FetchLike;
}

/** When a refresh that nobody waits for has failed, it is tried again after this time. */
const RETRY_MS = 60_000;

export function createSignInSession(settings: SessionSettings): SignInSession {
  const { serverUrl, grant, store, key, scope: ownScope, fetch } = settings;
  const share = createSharedWork();
  let state: SavedSignIn | undefined;
  let session: { readonly key: webcrypto.JsonWebKey; readonly dpop: DpopSession } | undefined;

  const openDpop = async (
    sdk: ClientSdk,
    dpopKey: webcrypto.JsonWebKey | undefined,
  ): Promise<DpopSession | undefined> => {
    if (dpopKey === undefined) {
      session = undefined;
      return undefined;
    }
    if (session !== undefined && session.key.d === dpopKey.d) return session.dpop;
    const dpop = await openDpopSession(sdk, dpopKey);
    session = { key: dpopKey, dpop };
    return dpop;
  };
  const adopt = async (sdk: ClientSdk, next: SavedSignIn): Promise<void> => {
    await openDpop(sdk, next.dpopKey);
    state = next;
  };
  const obtain = async (
    sdk: ClientSdk,
    demand: Demand,
    given: SavedSignIn,
    signal: AbortSignal,
    redactor: Redactor,
  ): Promise<SavedSignIn | undefined> => {
    const fetchFn = createAuthFetch(fetch, serverUrl, signal, redactor);
    const server = await discoverAuthorizationServer(sdk, serverUrl, demand.resourceMetadataUrl, fetchFn);
    const wantsKey = server.supportsDpop && (demand.wantsDpop === true || server.wantsDpop);
    const saved = given.dpopKey === undefined && wantsKey ? { ...given, dpopKey: await createDpopKey() } : given;
    const dpop = await openDpop(sdk, saved.dpopKey);
    const flow: Flow = { sdk, serverUrl, server, saved, dpop, fetchFn, redactor, signal };
    if (demand.by !== 'sign-in') {
      const refreshed = await refresh(flow, grant);
      if (refreshed !== undefined) return refreshed;
    }
    const asked = sdk.computeScopeUnion(saved.scope, ownScope, demand.scope);
    if (grant.type !== 'authorization-code') return signInAlone(flow, grant, asked);
    return demand.by === 'refresh-only' ? undefined : signInAsPerson(flow, grant, asked);
  };
  const renew = async (demand: Demand, signal: AbortSignal): Promise<void> => {
    const sdk = await import('@modelcontextprotocol/client');
    const redactor = createRedactor(secretsOf(grant));
    try {
      await store.exclusively(
        key,
        async () => {
          const saved = parseSavedSignIn(await store.load(key));
          if (saved.tokens !== undefined && saved.tokens.access_token !== demand.stale) return adopt(sdk, saved);
          for (const secret of savedSecrets(saved)) redactor.add(secret);
          const next = await obtain(sdk, demand, saved, signal, redactor);
          if (next === undefined) return;
          await store.save(key, JSON.stringify(next));
          await adopt(sdk, next);
        },
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      throw toSignInError(error, serverUrl, redactor);
    }
  };
  return {
    async current() {
      if (state !== undefined) return state;
      const saved = parseSavedSignIn(await store.load(key));
      // Another request may have signed in meanwhile.
      if (state !== undefined) return state;
      if (saved.dpopKey === undefined) state = saved;
      else await adopt(await import('@modelcontextprotocol/client'), saved);
      return saved;
    },
    async renew(demand, signal) {
      const work = share((inner) => renew(demand, inner), signal);
      if (demand.by !== 'refresh-only') return work;
      // The tokens may still do. If not, the server says so.
      await work.catch(() => undefined);
      signal?.throwIfAborted();
      if (state !== undefined && state.tokens?.access_token === demand.stale)
        state = { ...state, refreshAt: Date.now() + RETRY_MS };
    },
    dpop: () => session?.dpop,
  };
}

function secretsOf(grant: SignInGrant): readonly (string | undefined)[] {
  const idp = grant.type === 'enterprise-managed' ? grant.identityProvider.clientSecret : undefined;
  return [grant.client?.secret, grant.client?.privateKey?.pem, idp];
}

function savedSecrets({ tokens, client, dpopKey }: SavedSignIn): readonly (string | undefined)[] {
  return [tokens?.access_token, tokens?.refresh_token, client?.client_secret, dpopKey?.d];
}
