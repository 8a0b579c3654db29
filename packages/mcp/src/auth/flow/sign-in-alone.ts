import { KernelError } from '@kernel/protocol';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { AuthorizationCodeGrant, EnterpriseManagedGrant, SignInGrant } from '../sign-in-options.ts';
import { EMPTY_PROVIDER } from './discover.ts';
import { clientAuthentication, clientInformationFor, type Flow, requestFields, withTokens } from './flow.ts';
import type { SavedSignIn } from './saved-sign-in.ts';

type GrantWithoutPerson = Exclude<SignInGrant, AuthorizationCodeGrant>;

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Signs in without a person. What the authorization server refuses is not tried again. */
export async function signInAlone(
  flow: Flow,
  grant: GrantWithoutPerson,
  asked: string | undefined,
): Promise<SavedSignIn> {
  const { sdk, server, saved, dpop } = flow;
  const { dpop: _ofProvider, ...fields } = requestFields(flow);
  const scope = asked ?? server.scopes;
  const information = clientInformationFor(grant.client, server.issuer, saved.clientIssuer);
  const provider: OAuthClientProvider = {
    ...EMPTY_PROVIDER,
    clientInformation: () => information,
    ...clientAuthentication(sdk, grant.client),
    prepareTokenRequest: async (wanted) => {
      const parameters = await tokenParameters(flow, grant, wanted);
      return new URLSearchParams({ ...parameters, ...(wanted === undefined ? {} : { scope: wanted }) });
    },
    ...(dpop === undefined ? {} : { dpop: () => dpop }),
  };
  const tokens = await sdk.fetchToken(provider, server.url, {
    ...fields,
    ...(scope === undefined ? {} : { scope }),
  });
  return withTokens(flow, tokens, { clientIssuer: server.issuer, ...(scope === undefined ? {} : { scope }) });
}

async function tokenParameters(
  flow: Flow,
  grant: GrantWithoutPerson,
  scope: string | undefined,
): Promise<Record<string, string>> {
  switch (grant.type) {
    case 'client-credentials':
      return { grant_type: 'client_credentials' };
    case 'workload-identity':
      return { grant_type: JWT_BEARER, assertion: await grant.assertion(flow.server.issuer) };
    case 'enterprise-managed':
      return { grant_type: JWT_BEARER, assertion: await authorizationGrant(flow, grant, scope) };
    default:
      return grant satisfies never;
  }
}

/** Has the identity provider vouch for the person. */
async function authorizationGrant(
  { sdk, server, fetchFn }: Flow,
  { identityProvider }: EnterpriseManagedGrant,
  scope: string | undefined,
): Promise<string> {
  const { tokenEndpoint, clientId, clientSecret, idToken } = identityProvider;
  if (server.resource === undefined)
    throw new KernelError('TOOL_UNAVAILABLE', 'It does not say which resource it is.', {
      hint: 'An enterprise-managed sign-in needs a server with protected resource metadata (RFC 9728).',
    });
  const { jwtAuthGrant } = await sdk.requestJwtAuthorizationGrant({
    tokenEndpoint,
    audience: server.issuer,
    resource: server.resource,
    idToken: await idToken(),
    clientId,
    fetchFn,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(scope === undefined ? {} : { scope }),
  });
  return jwtAuthGrant;
}
