import type { Redactor } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type {
  DpopSession,
  FetchLike,
  OAuthClientProvider,
  OAuthTokens,
  StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import type { ClientSdk } from '../../client/transport/server-link.ts';
import type { RegisteredClient, SignInGrant } from '../sign-in-options.ts';
import { type AuthorizationServer, isSameIssuer } from './discover.ts';
import { refreshTime, type SavedSignIn } from './saved-sign-in.ts';

/** What one sign-in or one refresh works with. */
export interface Flow {
  readonly sdk: ClientSdk;
  readonly serverUrl: URL;
  readonly server: AuthorizationServer;
  readonly saved: SavedSignIn;
  readonly dpop: DpopSession | undefined;
  readonly fetchFn: FetchLike;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}

/** Returns what is saved of tokens that were given now. */
export function withTokens({ server, saved }: Flow, tokens: OAuthTokens, changes: Partial<SavedSignIn>): SavedSignIn {
  const { refreshAt: _old, ...rest } = saved;
  // The identity of the person isn't needed.
  const { id_token: _identity, ...kept } = tokens;
  const refreshAt = refreshTime(tokens);
  return {
    ...rest,
    ...changes,
    tokens: { ...kept, issuer: server.issuer },
    ...(refreshAt === undefined ? {} : { refreshAt }),
  };
}

/** Returns the optional fields of a token request. */
export function requestFields({ server, dpop, fetchFn }: Flow) {
  return {
    fetchFn,
    ...(server.metadata === undefined ? {} : { metadata: server.metadata }),
    ...(server.resource === undefined ? {} : { resource: server.resource }),
    ...(dpop === undefined ? {} : { dpop }),
  };
}

/** Returns the client of a saved sign-in; undefined if this program would have to register one first. */
export function savedClient(
  { server, saved }: Pick<Flow, 'server' | 'saved'>,
  grant: SignInGrant,
): StoredOAuthClientInformation | undefined {
  if (grant.client !== undefined) return clientInformationFor(grant.client, server.issuer, saved.clientIssuer);
  const url = grant.type === 'authorization-code' ? grant.clientMetadataUrl : undefined;
  return saved.client ?? (url === undefined ? undefined : { client_id: url });
}

/** Returns a client as the SDK takes it, for one issuer. Throws if its credentials are for another one. */
export function clientInformationFor(
  client: RegisteredClient,
  issuer: string,
  boundTo: string | undefined,
): StoredOAuthClientInformation {
  const expected = client.issuer ?? boundTo;
  if (expected === undefined || isSameIssuer(expected, issuer))
    return { client_id: client.id, ...(client.secret === undefined ? {} : { client_secret: client.secret }), issuer };
  const message = `It names the issuer ${issuer}, but the client is registered with ${expected}.`;
  throw new KernelError('TOOL_UNAVAILABLE', message, {
    hint: 'If the server has moved, register a client with the new issuer, pass it, and call signOut.',
  });
}

/** Returns how a client proves who it is, if it does so with a key. */
export function clientAuthentication(
  sdk: ClientSdk,
  client: RegisteredClient | undefined,
): Pick<OAuthClientProvider, 'addClientAuthentication'> {
  if (client?.privateKey === undefined) return {};
  const { pem: privateKey, algorithm: alg } = client.privateKey;
  return {
    addClientAuthentication: sdk.createPrivateKeyJwtAuth({ issuer: client.id, subject: client.id, privateKey, alg }),
  };
}
