/** An MCP server that asks for sign-in, as far as HTTP goes, and its authorization server: small, by hand, and able to do wrong. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a test changes while the servers run. */
export interface Knobs {
  /** How long tokens live, in seconds. */
  expiresIn: number;
  /** The scope that the MCP server wants. */
  scope: () => string;
  /** What the metadata of the MCP server names. */
  resource: string;
  authorizationServer: string;
  /** The `iss` of the answer to a person. */
  iss: string;
  /** Answers a token request in place of the server. */
  onToken: ((body: URLSearchParams, request: IncomingMessage) => Answer | Promise<Answer> | undefined) | undefined;
  /** The status of the answers to revocations; undefined if the server takes none. */
  revocation: number | undefined;
  /** Answers a request to the MCP server that has a good token. */
  onCall: ((response: ServerResponse) => void) | undefined;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

export interface OAuthServers extends Knobs {
  /** The address of the MCP server. */
  readonly url: string;
  readonly issuer: string;
  /** The queries of the authorization requests. */
  readonly authorized: URLSearchParams[];
  /** The bodies of the token requests. */
  readonly tokenRequests: URLSearchParams[];
  /** The bodies of the revocations, and how the client said who it is. */
  readonly revocations: { readonly body: URLSearchParams; readonly authorization: string | undefined }[];
  /** The `authorization` header of each request to the MCP server. */
  readonly calls: (string | undefined)[];
  /** The clients that have registered. */
  readonly clients: Map<string, string>;
  /** Takes all tokens back, and the refresh tokens with `all`. */
  revoke(all?: boolean): void;
  issueRefreshToken(): string;
  giveTokens(scope: string): Answer;
}

/** Starts both on loopback, for the time of one test. */
export async function startOAuthServers(): Promise<OAuthServers> {
  const codes = new Map<string, URLSearchParams>();
  const accessTokens = new Map<string, string>();
  const refreshTokens = new Set<string>();

  const giveTokens = (scope: string): Answer => {
    const token = `access-${randomUUID()}`;
    accessTokens.set(token, scope);
    return {
      status: 200,
      body: {
        access_token: token,
        refresh_token: servers.issueRefreshToken(),
        token_type: 'Bearer',
        expires_in: servers.expiresIn,
      },
    };
  };
  const grant = (body: URLSearchParams): Answer => {
    const refused = { status: 400, body: { error: 'invalid_grant', error_description: 'no' } };
    switch (body.get('grant_type')) {
      case 'refresh_token':
        // A refresh token is good once.
        return refreshTokens.delete(body.get('refresh_token') ?? '') ? giveTokens('all') : refused;
      case 'client_credentials':
        return giveTokens(body.get('scope') ?? '');
      default: {
        const asked = codes.get(body.get('code') ?? '');
        const challenge = createHash('sha256')
          .update(body.get('code_verifier') ?? '')
          .digest('base64url');
        return asked?.get('code_challenge') === challenge ? giveTokens(asked.get('scope') ?? '') : refused;
      }
    }
  };

  const authorization = await listen(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', issuer);
    switch (pathname) {
      case '/.well-known/oauth-authorization-server':
        return json(response, 200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          authorization_response_iss_parameter_supported: true,
          ...(servers.revocation === undefined ? {} : { revocation_endpoint: `${issuer}/revoke` }),
        });
      case '/register': {
        const metadata = JSON.parse(await read(request)) as object;
        const client = { client_id: randomUUID(), client_secret: `client-${randomUUID()}` };
        servers.clients.set(client.client_id, client.client_secret);
        return json(response, 201, { ...metadata, ...client });
      }
      case '/authorize': {
        servers.authorized.push(searchParams);
        const code = `code-${randomUUID()}`;
        codes.set(code, searchParams);
        const target = new URL(searchParams.get('redirect_uri') ?? '');
        target.search = String(new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss: servers.iss }));
        return void response.writeHead(302, { location: target.href }).end();
      }
      case '/revoke': {
        const { authorization: header } = request.headers;
        servers.revocations.push({ body: new URLSearchParams(await read(request)), authorization: header });
        return json(response, servers.revocation ?? 404, {});
      }
      case '/token': {
        const body = new URLSearchParams(await read(request));
        servers.tokenRequests.push(body);
        const { status, body: answer } = (await servers.onToken?.(body, request)) ?? grant(body);
        return json(response, status, answer);
      }
      default:
        return json(response, 404, {});
    }
  });
  const issuer = authorization;

  const resource = await listen((request, response) => {
    const { pathname } = new URL(request.url ?? '', resource);
    if (pathname === '/.well-known/oauth-protected-resource/mcp')
      return json(response, 200, {
        resource: servers.resource,
        authorization_servers: [servers.authorizationServer],
      });
    servers.calls.push(request.headers.authorization);
    const scope = accessTokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
    const metadata = `resource_metadata="${resource}/.well-known/oauth-protected-resource/mcp"`;
    const wanted = servers.scope();
    if (scope === undefined)
      return json(response, 401, {}, { 'www-authenticate': `Bearer ${metadata}, scope="${wanted}"` });
    if (scope !== 'all' && !wanted.split(' ').every((each) => scope.split(' ').includes(each)))
      return json(
        response,
        403,
        {},
        {
          'www-authenticate': `Bearer error="insufficient_scope", ${metadata}, scope="${wanted}"`,
        },
      );
    if (servers.onCall !== undefined) return servers.onCall(response);
    return json(response, 200, { ok: true });
  });

  const servers: OAuthServers = {
    url: `${resource}/mcp`,
    issuer,
    expiresIn: 3600,
    scope: () => 'read',
    resource: `${resource}/mcp`,
    authorizationServer: issuer,
    iss: issuer,
    onToken: undefined,
    onCall: undefined,
    revocation: undefined,
    revocations: [],
    authorized: [],
    tokenRequests: [],
    calls: [],
    clients: new Map(),
    giveTokens,
    revoke(all = false) {
      accessTokens.clear();
      if (all) refreshTokens.clear();
    },
    issueRefreshToken() {
      const token = `refresh-${randomUUID()}`;
      refreshTokens.add(token);
      return token;
    },
  };
  return servers;
}

/** Serves on loopback, for the time of one test; returns the origin. */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<string> {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function json(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
