import type { webcrypto } from 'node:crypto';
import { isObject, parseJson } from '@kernel/internal';
import type { DpopSession, OAuthClientInformationFull, StoredOAuthTokens } from '@modelcontextprotocol/client';
import type { ClientSdk } from '../../client/transport/server-link.ts';

/** What a store keeps of one sign-in. */
export interface SavedSignIn {
  /** With the issuer that gave them: they are never sent to another one. */
  readonly tokens?: StoredOAuthTokens;
  /** When to refresh the tokens, in ms since 1970, some time before they end. */
  readonly refreshAt?: number;
  /** All scopes that were asked for. */
  readonly scope?: string;
  /** The client that this program has registered, with the issuer that knows it. */
  readonly client?: OAuthClientInformationFull & { readonly issuer: string };
  /** The only issuer that a client registered beforehand is used with. */
  readonly clientIssuer?: string;
  /** The key that the tokens are bound to (DPoP). */
  readonly dpopKey?: webcrypto.JsonWebKey;
}

/** Reads what a store has kept. Anything else counts as nothing: then it is signed in again. */
export function parseSavedSignIn(text: string | undefined): SavedSignIn {
  const value = parseJson(text ?? '');
  if (!isObject(value)) return {};
  const { tokens, client, dpopKey } = value;
  const isWhole =
    (tokens === undefined || hasTexts(tokens, ['access_token', 'token_type', 'issuer'])) &&
    (client === undefined || (hasTexts(client, ['client_id', 'issuer']) && Array.isArray(client['redirect_uris']))) &&
    (dpopKey === undefined || isObject(dpopKey)) &&
    ['scope', 'clientIssuer'].every((name) => value[name] === undefined || typeof value[name] === 'string') &&
    (value['refreshAt'] === undefined || typeof value['refreshAt'] === 'number');
  return isWhole ? value : {};
}

function hasTexts(value: unknown, names: readonly string[]): value is Record<string, unknown> {
  return isObject(value) && names.every((name) => typeof value[name] === 'string');
}

const SKEW_MS = 60_000;
/** The shortest time between two refreshes that nobody has asked for. */
const MIN_LIFE_MS = 10_000;

/** When to refresh tokens that were given now: a minute before they end, or in the last quarter of a shorter life. */
export function refreshTime({ expires_in: seconds }: StoredOAuthTokens, now = Date.now()): number | undefined {
  if (seconds === undefined || !Number.isFinite(seconds) || seconds <= 0) return undefined;
  const life = seconds * 1000;
  return now + Math.max(Math.min(MIN_LIFE_MS, life), life - Math.min(SKEW_MS, life / 4));
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** The one algorithm that proofs are signed with, which every server that knows DPoP has. */
export const DPOP_ALGORITHM = 'ES256';

/** Creates a key for proofs (DPoP), as it is saved. */
export async function createDpopKey(): Promise<webcrypto.JsonWebKey> {
  const { privateKey } = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  return crypto.subtle.exportKey('jwk', privateKey);
}

/** Opens the session of a saved key; in memory the key cannot be read. */
export async function openDpopSession(sdk: ClientSdk, key: webcrypto.JsonWebKey): Promise<DpopSession> {
  const { crv = '', kty = '', x = '', y = '' } = key;
  const publicJwk = { crv, kty, x, y };
  const [privateKey, publicKey, digest] = await Promise.all([
    crypto.subtle.importKey('jwk', key, ALGORITHM, false, ['sign']),
    crypto.subtle.importKey('jwk', publicJwk, ALGORITHM, true, ['verify']),
    // RFC 7638: the members in the order of their names.
    crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(publicJwk))),
  ]);
  const thumbprint = Buffer.from(digest).toString('base64url');
  return sdk.DpopSession.create({ keyPair: { privateKey, publicKey, publicJwk, thumbprint, alg: DPOP_ALGORITHM } });
}
