import type { OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import type { SignInGrant } from '../sign-in-options.ts';
import { fieldOf, isSameIssuer } from './discover.ts';
import { clientAuthentication, type Flow, savedClient } from './flow.ts';

/**
 * Takes tokens back at the authorization server that gave them (RFC 7009): the refresh token first, with which further ones could be got. Resolves to whether the
 * server has accepted that; false where it offers no such thing, or is another one by now.
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
