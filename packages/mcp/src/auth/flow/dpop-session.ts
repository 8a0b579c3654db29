import type { webcrypto } from 'node:crypto';
import type { DpopSession } from '@modelcontextprotocol/client';
import type { ClientSdk } from '../../client/transport/server-link.ts';

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
