import { KernelError } from '@kernel/protocol';
import type { OAuthClientProvider, StoredOAuthClientInformation } from '@modelcontextprotocol/client';
import type { ClientSdk } from '../../client/transport/server-link.ts';
import type { RegisteredClient } from '../sign-in-options.ts';
import { isSameIssuer } from './discover.ts';

/** A client as the SDK takes it, for one issuer. Throws if its credentials are for another one. */
export function clientInformationFor(
  client: RegisteredClient,
  issuer: string,
  boundTo: string | undefined,
): StoredOAuthClientInformation {
  const expected = client.issuer ?? boundTo;
  if (expected !== undefined && !isSameIssuer(expected, issuer))
    throw new KernelError(
      'TOOL_UNAVAILABLE',
      `It names the issuer ${issuer}, but the client is registered with ${expected}.`,
      {
        hint: 'If the server has moved, register a client with the new issuer, pass it, and call signOut.',
      },
    );
  return { client_id: client.id, ...(client.secret === undefined ? {} : { client_secret: client.secret }), issuer };
}

/** How a client proves who it is, if by a key. */
export function clientAuthentication(
  sdk: ClientSdk,
  client: RegisteredClient | undefined,
): Pick<OAuthClientProvider, 'addClientAuthentication'> {
  if (client?.privateKey === undefined) return {};
  const { pem, algorithm } = client.privateKey;
  const { id } = client;
  return {
    addClientAuthentication: sdk.createPrivateKeyJwtAuth({ issuer: id, subject: id, privateKey: pem, alg: algorithm }),
  };
}
