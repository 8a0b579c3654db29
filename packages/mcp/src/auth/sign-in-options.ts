import { isLoopback, sha256Hex } from '@kernel/internal';
import { checkKeys, KernelError, optionKeys } from '@kernel/protocol';
import type { FetchLike } from '@modelcontextprotocol/client';
import type { Redirect } from './loopback-redirect.ts';
import type { TokenStore } from './store/token-store.ts';

/** How to sign in at one MCP server. */
export interface SignInOptions {
  /** The address of the MCP server. Tokens are sent to it and to what lies below it, and to nobody else. */
  readonly serverUrl: string | URL;
  /** How tokens are got: by a person in a browser, or by this program itself. */
  readonly grant: SignInGrant;
  /** Where tokens are kept. Default: in memory, until the process ends. */
  readonly store?: TokenStore | undefined;
  /** Scopes to ask for, with spaces between them, besides those that the server asks for. Default: only those. */
  readonly scope?: string | undefined;
  /** Sends all requests; those to other addresses are passed on as they are, so that one sign-in can wrap another. Default: the global `fetch`. */
  readonly fetch?: FetchLike | undefined;
}

/** How tokens are got, by the name of the extension or of the grant of OAuth. */
export type SignInGrant =
  | AuthorizationCodeGrant
  | ClientCredentialsGrant
  | EnterpriseManagedGrant
  | WorkloadIdentityGrant;

/** A person signs in, in a browser, with PKCE. */
export interface AuthorizationCodeGrant {
  readonly type: 'authorization-code';
  /** Takes the person to the authorization server and back: `loopbackRedirect()`. */
  readonly redirect: Redirect;
  /** The name of this program, as the authorization server shows it to the person. Default `@kernel/mcp`. */
  readonly clientName?: string | undefined;
  /** Where this program's client metadata document is. Without it, or where the authorization server knows no such documents, the program registers itself. */
  readonly clientMetadataUrl?: string | undefined;
  /** The client that was registered beforehand: then no other is used. */
  readonly client?: RegisteredClient | undefined;
}

/** This program signs in for itself, with a secret or a private key. */
export interface ClientCredentialsGrant {
  readonly type: 'client-credentials';
  /** The client, with its secret or its key. */
  readonly client: RegisteredClient;
}

/** The company's identity provider vouches for the person who has signed in there (ID-JAG). */
export interface EnterpriseManagedGrant {
  readonly type: 'enterprise-managed';
  /** The client at the MCP server's authorization server. */
  readonly client: RegisteredClient;
  /** Where the person has signed in. */
  readonly identityProvider: IdentityProvider;
}

/** The platform that this program runs on vouches for it. */
export interface WorkloadIdentityGrant {
  readonly type: 'workload-identity';
  /** The client that the platform's JWT speaks for. */
  readonly client: RegisteredClient;
  /** Returns a JWT of the platform for an audience: the issuer of the MCP server's authorization server. */
  readonly assertion: (audience: string) => string | Promise<string>;
}

/** Where a company's people sign in. */
export interface IdentityProvider {
  /** Where it exchanges tokens. */
  readonly tokenEndpoint: string;
  /** The id that this program has there. */
  readonly clientId: string;
  /** The secret that this program has there, if any. */
  readonly clientSecret?: string | undefined;
  /** Returns the ID token of the person who has signed in. */
  readonly idToken: () => string | Promise<string>;
}

/** A client that an authorization server knows. */
export interface RegisteredClient {
  /** The `client_id`. */
  readonly id: string;
  /** The `client_secret`. */
  readonly secret?: string | undefined;
  /** Signs in place of a secret (`private_key_jwt`). */
  readonly privateKey?:
    | {
        /** The key, in PKCS 8 as PEM. */
        readonly pem: string;
        /** Its algorithm, such as `ES256`. */
        readonly algorithm: string;
      }
    | undefined;
  /**
   * The issuer of the authorization server that knows it; nothing of it is sent to another one. Default: the one that the MCP server names at the
   * first sign-in, and from then on only that.
   */
  readonly issuer?: string | undefined;
}

const KEYS = optionKeys<SignInOptions>({ serverUrl: true, grant: true, store: true, scope: true, fetch: true });
const GRANT_KEYS: Readonly<Record<SignInGrant['type'], ReadonlySet<string>>> = {
  'authorization-code': optionKeys<AuthorizationCodeGrant>({
    type: true,
    redirect: true,
    clientName: true,
    clientMetadataUrl: true,
    client: true,
  }),
  'client-credentials': optionKeys<ClientCredentialsGrant>({ type: true, client: true }),
  'enterprise-managed': optionKeys<EnterpriseManagedGrant>({ type: true, client: true, identityProvider: true }),
  'workload-identity': optionKeys<WorkloadIdentityGrant>({ type: true, client: true, assertion: true }),
};
const CLIENT_KEYS = optionKeys<RegisteredClient>({ id: true, secret: true, privateKey: true, issuer: true });

/** Checks the options, and returns the address of the server. */
export function checkSignInOptions(owner: string, options: SignInOptions): URL {
  checkKeys(owner, options, KEYS);
  const { serverUrl, grant } = options;
  const types = Object.keys(GRANT_KEYS);
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- what a caller without types passes
  const keys = Object.hasOwn(GRANT_KEYS, grant?.type ?? '') ? GRANT_KEYS[grant.type] : undefined;
  if (keys === undefined)
    throw new KernelError('CONFIG_INVALID', `${owner}: grant.type is not one that is known.`, {
      hint: `Pass one of ${types.join(', ')}.`,
    });
  checkKeys(owner, grant, keys, 'grant.');
  if (grant.client !== undefined) checkKeys(owner, grant.client, CLIENT_KEYS, 'grant.client.');
  if (!URL.canParse(String(serverUrl)))
    throw new KernelError('CONFIG_INVALID', `${owner}: serverUrl is not an address.`, {
      hint: 'Pass the address of the MCP server, such as https://mcp.example.com/mcp.',
    });
  const url = new URL(serverUrl);
  if (!isSecure(url))
    throw new KernelError('CONFIG_INVALID', `${owner}: ${url.origin} is not https, and a token would be readable.`, {
      hint: 'Use https; http is for servers on this machine (127.0.0.1, localhost).',
    });
  return url;
}

/** Whether what is sent there can be read by nobody between. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Names the tokens of one client at one server: what is stored under it is of nobody else. */
export function storeKey(url: URL, grant: SignInGrant): string {
  const client = grant.client?.id ?? ('clientMetadataUrl' in grant ? grant.clientMetadataUrl : undefined) ?? '';
  // An address may have a secret in its query.
  const query = url.search === '' ? '' : ` ${sha256Hex(url.search).slice(0, 16)}`;
  return `${url.origin}${url.pathname}${query} ${grant.type} ${client}`.trim();
}
