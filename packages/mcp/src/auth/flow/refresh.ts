import type { OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import { fieldOf, isSameIssuer } from './discover.ts';
import { clientAuthentication, type Flow, requestFields, savedClient, withTokens } from './flow.ts';
import type { SavedSignIn } from './saved-sign-in.ts';
import type { SignInGrant } from '../sign-in-options.ts';

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

/**
 * Takes tokens back at the authorization server that gave them (RFC 7009): the refresh token first, with which further
 * ones could be got. Resolves to whether the server has accepted that; false where it offers no such thing, or is
 * another one by now.
 */
export async function revoke(
  flow: Pick<Flow, 'sdk' | 'server' | 'saved' | 'fetchFn'>,
  grant: SignInGrant,
): Promise<boolean> {
  const { sdk, server, saved, fetchFn } = flow;
  const { tokens } = saved;
  const { metadata } = server;
  const endpoint = fieldOf(metadata, 'revocation_endpoint');
  if (metadata === undefined || typeof endpoint !== 'string' || tokens === undefined) return false;
  if (!isSameIssuer(tokens.issuer ?? '', server.issuer)) return false;
  const client = savedClient(flow, grant);
  if (client === undefined) return false;
  const methods = fieldOf(metadata, 'revocation_endpoint_auth_methods_supported');
  const supported = Array.isArray(methods)
    ? methods.map(String)
    : (metadata.token_endpoint_auth_methods_supported ?? []);
  const { addClientAuthentication } = clientAuthentication(sdk, grant.client);
  const send = async (token: string | undefined, hint: string): Promise<boolean> => {
    if (token === undefined) return true;
    const body = new URLSearchParams({ token, token_type_hint: hint });
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' });
    if (addClientAuthentication === undefined)
      authenticate(sdk.selectClientAuthMethod(client, supported), client, headers, body);
    else await addClientAuthentication(headers, body, endpoint, metadata);
    const response = await fetchFn(endpoint, { method: 'POST', headers, body, redirect: 'error' });
    await response.body?.cancel();
    return response.ok;
  };
  return (await send(tokens.refresh_token, 'refresh_token')) && send(tokens.access_token, 'access_token');
}

function authenticate(
  method: string,
  { client_id: id, client_secret: secret }: OAuthClientInformationMixed,
  headers: Headers,
  body: URLSearchParams,
): void {
  if (method === 'client_secret_basic' && secret !== undefined) {
    // Spelled as the SDK spells it for tokens: a server that has given some has understood that.
    headers.set('authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`);
    return;
  }
  body.set('client_id', id);
  if (method === 'client_secret_post' && secret !== undefined) body.set('client_secret', secret);
}
