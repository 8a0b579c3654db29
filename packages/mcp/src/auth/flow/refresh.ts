import type { SignInGrant } from '../sign-in-options.ts';
import { isSameIssuer } from './discover.ts';
import { clientAuthentication, type Flow, requestFields, savedClient, withTokens } from './flow.ts';
import type { SavedSignIn } from './saved-sign-in.ts';

/** Answers of an authorization server that say nothing about the refresh token. */
const PASSING: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable', 'too_many_requests']);
/** Answers that say that the authorization server doesn't know the client any more. */
const CLIENT_UNKNOWN: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client']);

/**
 * Refreshes the tokens. Resolves with undefined if there is nothing to refresh, the tokens are of another issuer than the server's, or the
 * authorization server refuses: then a new sign-in is needed, and with another client for `client-unknown`.
 */
export async function refresh(flow: Flow, grant: SignInGrant): Promise<SavedSignIn | 'client-unknown' | undefined> {
  const { sdk, server, saved } = flow;
  const { tokens } = saved;
  if (tokens?.refresh_token === undefined || !isSameIssuer(tokens.issuer ?? '', server.issuer)) return undefined;
  const clientInformation = savedClient(flow, grant);
  if (clientInformation === undefined) return undefined;
  try {
    const refreshed = await sdk.refreshAuthorization(server.url, {
      ...requestFields(flow),
      ...clientAuthentication(sdk, grant.client),
      clientInformation,
      refreshToken: tokens.refresh_token,
    });
    return withTokens(flow, { ...refreshed, scope: refreshed.scope ?? tokens.scope }, {});
  } catch (error) {
    if (!sdk.OAuthError.isInstance(error) || PASSING.has(error.code)) throw error;
    return CLIENT_UNKNOWN.has(error.code) ? 'client-unknown' : undefined;
  }
}
