import type { AuthorizationServerMetadata, FetchLike, OAuthDiscoveryState } from '@modelcontextprotocol/client';
import type { ClientSdk } from '../../client/transport/server-link.ts';
import { DPOP_ALGORITHM } from './dpop-session.ts';

/** A field that the SDK passes on without naming it. */
const DPOP_ALGORITHMS = 'dpop_signing_alg_values_supported';

/** The authorization server of an MCP server, as it is now. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly url: string;
  readonly metadata: AuthorizationServerMetadata | undefined;
  /** The resource that tokens are asked for, exactly as the MCP server spells it. */
  readonly resource: string | undefined;
  /** The scopes that the MCP server knows, for a request that names none. */
  readonly scopes: string | undefined;
  readonly supportsDpop: boolean;
  readonly wantsDpop: boolean;
  readonly state: OAuthDiscoveryState;
}

/** Finds the authorization server of an MCP server. Rejects if the issuer or the resource is another one than was asked for. */
export async function discoverAuthorizationServer(
  sdk: ClientSdk,
  serverUrl: URL,
  resourceMetadataUrl: URL | undefined,
  fetchFn: FetchLike,
): Promise<AuthorizationServer> {
  const found = await sdk.discoverOAuthServerInfo(serverUrl, {
    fetchFn,
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
  });
  const { authorizationServerUrl: url, authorizationServerMetadata: metadata, resourceMetadata } = found;
  // Only `validateResourceURL` of a provider is looked at, and there is none: the check is the SDK's own.
  const selected = await sdk.selectResourceURL(serverUrl, noProvider, resourceMetadata);
  const algorithms: unknown = Object.entries(metadata ?? {}).find(([name]) => name === DPOP_ALGORITHMS)?.[1];
  return {
    issuer: metadata?.issuer ?? url,
    url,
    metadata,
    resource: selected === undefined ? undefined : resourceMetadata?.resource,
    scopes: resourceMetadata?.scopes_supported?.join(' '),
    supportsDpop: Array.isArray(algorithms) && algorithms.includes(DPOP_ALGORITHM),
    wantsDpop: resourceMetadata?.dpop_bound_access_tokens_required === true,
    state: { ...found, ...(resourceMetadataUrl && { resourceMetadataUrl: resourceMetadataUrl.href }) },
  };
}

const noProvider: Parameters<ClientSdk['selectResourceURL']>[1] = {
  redirectUrl: undefined,
  clientMetadata: { redirect_uris: [] },
  clientInformation: () => undefined,
  tokens: () => undefined,
  saveTokens: () => undefined,
  redirectToAuthorization: () => undefined,
  saveCodeVerifier: () => undefined,
  codeVerifier: () => '',
};

/** Whether two identifiers name one issuer: a slash at the end may be missing, as in the SDK. */
export function isSameIssuer(first: string, second: string): boolean {
  return first.replace(/\/$/, '') === second.replace(/\/$/, '');
}
