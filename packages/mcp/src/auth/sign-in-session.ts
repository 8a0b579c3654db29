import {
  createRedactor,
  errorMessage,
  querySecrets,
  type Redactor,
  terminalText,
  truncate,
  untilAborted,
} from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { DpopSession, FetchLike } from '@modelcontextprotocol/client';
import { createAuthFetch } from './flow/auth-fetch.ts';
import { discoverAuthorizationServer } from './flow/discover.ts';
import type { Flow } from './flow/flow.ts';
import { refresh } from './flow/refresh.ts';
import { createDpopKey, openDpopSession, parseSavedSignIn, type SavedSignIn } from './flow/saved-sign-in.ts';
import { signInAlone } from './flow/sign-in-alone.ts';
import { signInAsPerson } from './flow/sign-in-as-person.ts';
import type { SignInGrant } from './sign-in-options.ts';
import type { TokenStore } from './store/token-store.ts';
import { redactedError } from '../client/server-redactor.ts';
import type { ClientSdk } from '../client/transport/server-link.ts';

const MAX_LENGTH = 600;
const HINT = 'Check the address of the server and the grant; to begin again without what is stored, call signOut.';

/** The error of a sign-in, with no secret in it. */
function toSignInError(error: unknown, server: URL, redactor: Redactor): KernelError {
  const redact = (text: string): string => terminalText(redactor.text(text));
  const known = KernelError.is(error) ? error : undefined;
  const { code = 'TOOL_UNAVAILABLE', hint = HINT } = known ?? {};
  const why = truncate(redact(errorMessage(error)).trim().replaceAll(/\s+/g, ' '), MAX_LENGTH);
  return new KernelError(code, `Signing in at ${server.origin}${server.pathname} failed: ${why}`, {
    hint: redact(hint),
    retryable: known?.retryable ?? error instanceof TypeError,
    cause: redactedError(error, redact),
  });
}

/** Why new tokens are wanted: they are about to end, the server refuses them, or it wants more scopes. */
type Reason = 'ending' | 'refused' | 'scope';

export interface Demand {
  readonly reason: Reason;
  /** The access token that does not do any more. */
  readonly stale: string | undefined;
  /** What the server wants signed in with, besides what was asked for before. */
  readonly scope?: string | undefined;
  readonly resourceMetadataUrl?: URL | undefined;
  readonly wantsDpop?: boolean | undefined;
}

export interface SignInSession {
  /** What is known now, loaded from the store at first. */
  current(): Promise<SavedSignIn>;
  /** Whether new tokens may still be got: a server that is never content is given up. */
  mayRenew(demand: Demand): boolean;
  /** Gets new tokens, or what another request or process has got meanwhile. */
  renew(demand: Demand, signal: AbortSignal | undefined): Promise<void>;
  /** Hears that the server has accepted a token. */
  onAccepted(): void;
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

/** How often new tokens are got without one that the server has accepted. */
const MAX_IN_A_ROW = 3;
/** After this time it is tried again. */
const PAUSE_MS = 5 * 60_000;
/** How often more scopes are asked for in the life of one session. */
const MAX_STEP_UPS = 10;
/** When a refresh that nobody waits for has failed, it is tried again after this time. */
const RETRY_MS = 60_000;

export function createSignInSession(settings: SessionSettings): SignInSession {
  const { serverUrl, grant, store, key, scope: ownScope, fetch } = settings;
  const share = createSharedWork();
  let state: SavedSignIn | undefined;
  let working = false;
  let inARow = 0;
  let lastMs = -Infinity;
  let stepUps = 0;
  let dpop: DpopSession | undefined;

  const proofsFor = async (sdk: ClientSdk, { dpopKey }: SavedSignIn): Promise<DpopSession | undefined> =>
    dpopKey === undefined || dpop?.publicJwk.x === dpopKey.x ? dpopKey && dpop : openDpopSession(sdk, dpopKey);
  const adopt = async (sdk: ClientSdk, next: SavedSignIn): Promise<void> => {
    dpop = await proofsFor(sdk, next);
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
    dpop = await proofsFor(sdk, saved);
    const flow: Flow = { sdk, serverUrl, server, saved, dpop, fetchFn, redactor, signal };
    // More scopes, and a refreshed token that is refused again, need a new sign-in.
    const mayRefresh = demand.reason === 'ending' || (demand.reason === 'refused' && inARow <= 1);
    const refreshed = mayRefresh ? await refresh(flow, grant) : undefined;
    if (typeof refreshed === 'object') return refreshed;
    const { client: _unknown, ...others } = saved;
    const next = refreshed === 'client-unknown' ? { ...flow, saved: others } : flow;
    const asked = sdk.computeScopeUnion(saved.scope, ownScope, demand.scope);
    if (grant.type !== 'authorization-code') return signInAlone(next, grant, asked);
    return demand.reason === 'ending' ? undefined : signInAsPerson(next, grant, asked);
  };
  const renew = async (demand: Demand, signal: AbortSignal): Promise<void> => {
    const sdk = await import('@modelcontextprotocol/client');
    const redactor = createRedactor([...secretsOf(grant), ...querySecrets(serverUrl)]);
    working = true;
    try {
      await store.exclusively(
        key,
        async () => {
          const saved = parseSavedSignIn(await store.load(key));
          if (saved.tokens !== undefined && saved.tokens.access_token !== demand.stale) return adopt(sdk, saved);
          if (demand.reason !== 'ending') {
            inARow += 1;
            lastMs = performance.now();
            if (demand.reason === 'scope') stepUps += 1;
          }
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
    } finally {
      working = false;
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
    mayRenew({ reason, stale }) {
      if (performance.now() - lastMs > PAUSE_MS) inARow = 0;
      if (working || state?.tokens?.access_token !== stale) return true;
      return inARow < MAX_IN_A_ROW && (reason !== 'scope' || stepUps < MAX_STEP_UPS);
    },
    async renew(demand, signal) {
      const work = share((inner) => renew(demand, inner), signal);
      if (demand.reason !== 'ending') return work;
      // The tokens may still do. If not, the server says so.
      await work.catch(() => undefined);
      signal?.throwIfAborted();
      if (state !== undefined && state.tokens?.access_token === demand.stale)
        state = { ...state, refreshAt: Date.now() + RETRY_MS };
    },
    onAccepted() {
      inARow = 0;
    },
    dpop: () => dpop,
  };
}

function secretsOf(grant: SignInGrant): readonly (string | undefined)[] {
  const idp = grant.type === 'enterprise-managed' ? grant.identityProvider.clientSecret : undefined;
  return [grant.client?.secret, grant.client?.privateKey?.pem, idp];
}

function savedSecrets({ tokens, client, dpopKey }: SavedSignIn): readonly (string | undefined)[] {
  return [tokens?.access_token, tokens?.refresh_token, client?.client_secret, dpopKey?.d];
}

/**
 * Creates what runs one piece of work at a time for all who want it: who comes while it runs waits for the same one.
 * The work is aborted when the last of them has gone.
 */
function createSharedWork(): (
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal | undefined,
) => Promise<void> {
  let running: { readonly done: Promise<void>; readonly controller: AbortController; waiting: number } | undefined;
  return async (work, signal) => {
    signal?.throwIfAborted();
    if (running === undefined || running.controller.signal.aborted) {
      const controller = new AbortController();
      const started = { done: Promise.resolve().then(() => work(controller.signal)), controller, waiting: 0 };
      running = started;
      const end = (): void => {
        if (running === started) running = undefined;
      };
      started.done.then(end, end);
    }
    const joined = running;
    joined.waiting += 1;
    try {
      await untilAborted(joined.done, signal);
    } finally {
      joined.waiting -= 1;
      if (joined.waiting === 0) joined.controller.abort(signal?.reason);
    }
  };
}
