import type { SignInGrant } from '../sign-in-options.ts';
import { isSameIssuer } from './discover.ts';
import { type Flow, requestFields, withTokens } from './flow.ts';
import { clientAuthentication, clientInformationFor } from './registered-client.ts';
import type { SavedSignIn } from './saved-sign-in.ts';

/** Answers of an authorization server that say nothing about the refresh token. */
const PASSING: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable', 'too_many_requests']);

/** Answers that say that the client itself is not known any more. */
const CLIENT_UNKNOWN: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client']);

/**
 * Refreshes the tokens. Resolves with undefined if there is nothing to refresh, the tokens are of another issuer than the server's, or the
 * authorization server refuses: then it is to be signed in again, and with another client for `client-unknown`.
 */
export async function refresh(flow: Flow, grant: SignInGrant): Promise<SavedSignIn | 'client-unknown' | undefined> {
  const { sdk, server, saved } = flow;
  const { tokens } = saved;
  if (tokens?.refresh_token === undefined || !isSameIssuer(tokens.issuer ?? '', server.issuer)) return undefined;
  const client =
    grant.client === undefined ? saved.client : clientInformationFor(grant.client, server.issuer, saved.clientIssuer);
  const metadataUrl = grant.type === 'authorization-code' ? grant.clientMetadataUrl : undefined;
  if (client === undefined && metadataUrl === undefined) return undefined;
  try {
    const refreshed = await sdk.refreshAuthorization(server.url, {
      ...requestFields(flow),
      ...clientAuthentication(sdk, grant.client),
      clientInformation: client ?? { client_id: metadataUrl ?? '' },
      refreshToken: tokens.refresh_token,
    });
    return withTokens(flow, { ...refreshed, scope: refreshed.scope ?? tokens.scope }, {});
  } catch (error) {
    if (!sdk.OAuthError.isInstance(error) || PASSING.has(error.code)) throw error;
    return CLIENT_UNKNOWN.has(error.code) ? 'client-unknown' : undefined;
  }
}
