import type {
  AuthorizationServerMetadata,
  FetchLike,
  OAuthClientProvider,
  OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import { DPOP_ALGORITHM } from './saved-sign-in.ts';
import type { ClientSdk } from '../../client/transport/server-link.ts';

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
  const selected = await sdk.selectResourceURL(serverUrl, EMPTY_PROVIDER, resourceMetadata);
  const algorithms = fieldOf(metadata, 'dpop_signing_alg_values_supported');
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

/** The SDK's view of a sign-in that keeps nothing: tokens are saved by the session. */
export const EMPTY_PROVIDER: OAuthClientProvider = {
  redirectUrl: undefined,
  clientMetadata: { redirect_uris: [] },
  clientInformation: () => undefined,
  tokens: () => undefined,
  saveTokens: () => undefined,
  redirectToAuthorization: () => undefined,
  saveCodeVerifier: () => undefined,
  codeVerifier: () => '',
};

/** Returns a field of the metadata that the SDK passes on without naming it. */
export function fieldOf(metadata: object | undefined, name: string): unknown {
  return Object.entries(metadata ?? {}).find(([key]) => key === name)?.[1];
}

/** Whether two identifiers name one issuer: a slash at the end may be missing, as in the SDK. */
export function isSameIssuer(first: string, second: string): boolean {
  return first.replace(/\/$/, '') === second.replace(/\/$/, '');
}
