/** An MCP server that wants people signed in, and `oidc-provider` as its authorization server: both on loopback. */
import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mountTools } from '@kernel/mcp';
import { bindTool, createRegistry } from '@kernel/tools';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';

const SCOPES = ['tools:call', 'tools:change'] as const;

export interface SignInServers {
  /** The address of the MCP server. */
  readonly url: string;
  readonly issuer: string;
  /** The clients that have registered: their metadata. */
  readonly registered: readonly object[];
  /** The parameters of the authorization requests. */
  readonly authorized: readonly { readonly [name: string]: unknown }[];
  /** The grant types of the token requests that were answered. */
  readonly granted: readonly unknown[];
  /** What the tokens were issued for. */
  readonly audiences: readonly unknown[];
  /** Makes the MCP server want both of its scopes. */
  wantMore(): void;
  /** Makes the MCP server refuse all access tokens that were issued until now. */
  revokeAccessTokens(): void;
  close(): Promise<void>;
}

export async function startSignInServers(): Promise<SignInServers> {
  const resource = await listen();
  const authorization = await listen();
  const url = `${resource.origin}/mcp`;
  const provider = new Provider(authorization.origin, {
    cookies: { keys: [randomBytes(32).toString('hex')] },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo(_context, indicator) {
          if (indicator !== url) throw new errors.InvalidTarget();
          return { scope: SCOPES.join(' '), audience: url, accessTokenFormat: 'opaque' };
        },
        useGrantedResource: () => true,
      },
    },
    scopes: ['openid', 'offline_access', ...SCOPES],
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    pkce: { required: () => true },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 60,
      Grant: 3600,
      IdToken: 60,
      Interaction: 600,
      RefreshToken: 3600,
      Session: 3600,
    },
  });
  const registered: object[] = [];
  const authorized: { readonly [name: string]: unknown }[] = [];
  const granted: unknown[] = [];
  const audiences: unknown[] = [];
  const revoked = new Set<string>();
  const issued = new Set<string>();
  let wanted: string = SCOPES[0];
  provider.on('registration_create.success', (_context, client) => void registered.push(client.metadata()));
  provider.on('authorization.success', ({ oidc }: KoaContextWithOIDC) => void authorized.push({ ...oidc.params }));
  provider.on('grant.success', ({ oidc }: KoaContextWithOIDC) => void granted.push(oidc.params?.['grant_type']));
  const authorize = provider.callback();
  authorization.serve((request, response) => void authorize(request, response));

  const tools = createRegistry([
    bindTool(
      { name: 'hello', description: 'Says hello.', effect: 'read', parameters: { type: 'object' } },
      () => 'Hello!',
    ),
  ]);
  const handle = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: 'guarded', version: '1' });
      mountTools(server, tools);
      return server;
    }),
  );
  const metadata = `${resource.origin}/.well-known/oauth-protected-resource/mcp`;
  resource.serve((request, response) => {
    void (async () => {
      if (request.url === '/.well-known/oauth-protected-resource/mcp') {
        const body = { resource: url, authorization_servers: [authorization.origin], scopes_supported: SCOPES };
        return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      }
      const text = request.headers.authorization?.replace('Bearer ', '') ?? '';
      const token = await provider.AccessToken.find(text);
      if (token === undefined || token.aud !== url || revoked.has(text)) {
        const challenge = `Bearer resource_metadata="${metadata}", scope="${wanted}"`;
        return response.writeHead(401, { 'www-authenticate': challenge }).end();
      }
      if (!wanted.split(' ').every((scope) => token.scopes.has(scope))) {
        const challenge = `Bearer error="insufficient_scope", resource_metadata="${metadata}", scope="${wanted}"`;
        return response.writeHead(403, { 'www-authenticate': challenge }).end();
      }
      if (!issued.has(text)) audiences.push(token.aud);
      issued.add(text);
      return handle(request as typeof request & { method: string; url: string }, response);
    })();
  });
  return {
    url,
    issuer: authorization.origin,
    registered,
    authorized,
    granted,
    audiences,
    wantMore() {
      wanted = SCOPES.join(' ');
    },
    revokeAccessTokens() {
      for (const token of issued) revoked.add(token);
    },
    close: async () => void (await Promise.all([resource.close(), authorization.close()])),
  };
}

/** Listens before it is known what is served, for both have to know the address of the other. */
async function listen() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (listener: RequestListener): void => void server.on('request', listener),
    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
