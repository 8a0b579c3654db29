// An MCP server that asks for sign-in, and its authorization server, which signs everybody in at once. Both are one small HTTP server.
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveHttp } from '@kernel/mcp';
import { bindTool, createRegistry } from '@kernel/tools';

export interface SignInServer {
  readonly url: string;
  /** How often somebody has signed in. */
  signIns(): number;
  close(): Promise<void>;
}

const whoami = bindTool({ name: 'whoami', description: 'Says who has signed in.', parameters: {} }, () => 'Ada');

/** Starts it on a free port. */
export async function startSignInServer(): Promise<SignInServer> {
  const ownToken = randomUUID();
  const mcp = await serveHttp(createRegistry([whoami]), { token: ownToken });
  const challenges = new Map<string, string | null>();
  const tokens = new Set<string>();
  let signIns = 0;

  const server = createServer((request, response) => {
    const json = (status: number, body: object, headers = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    };
    const answer = async (): Promise<void> => {
      const origin = `http://${request.headers.host}`;
      const { pathname, searchParams: query } = new URL(request.url ?? '', origin);
      const body = await text(request);
      if (pathname === '/.well-known/oauth-protected-resource/mcp')
        return json(200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
      if (pathname === '/.well-known/oauth-authorization-server')
        return json(200, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          revocation_endpoint: `${origin}/revoke`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          authorization_response_iss_parameter_supported: true,
        });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a client sends its metadata
      if (pathname === '/register') return json(201, { ...(JSON.parse(body) as object), client_id: randomUUID() });
      if (pathname === '/authorize') {
        const code = randomUUID();
        challenges.set(code, query.get('code_challenge'));
        const back = new URL(query.get('redirect_uri') ?? '');
        back.search = new URLSearchParams({ code, state: query.get('state') ?? '', iss: origin }).toString();
        return void response.writeHead(302, { location: back.href }).end();
      }
      if (pathname === '/token') {
        const fields = new URLSearchParams(body);
        const verifier = createHash('sha256')
          .update(fields.get('code_verifier') ?? '')
          .digest('base64url');
        if (challenges.get(fields.get('code') ?? '') !== verifier) return json(400, { error: 'invalid_grant' });
        const token = randomUUID();
        tokens.add(token);
        signIns += 1;
        return json(200, { access_token: token, token_type: 'Bearer', expires_in: 3600 });
      }
      if (pathname === '/revoke') {
        tokens.delete(new URLSearchParams(body).get('token') ?? '');
        return json(200, {});
      }
      const { authorization = '', accept = '', ...headers } = request.headers;
      if (!tokens.has(authorization.replace('Bearer ', ''))) {
        const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
        return json(401, {}, { 'www-authenticate': `Bearer ${metadata}` });
      }
      const passed = Object.entries(headers).filter(([name]) => name.startsWith('mcp-') || name === 'content-type');
      const answered = await fetch(mcp.url, {
        method: request.method ?? 'POST',
        headers: {
          ...Object.fromEntries(passed.map(([name, value]) => [name, String(value)])),
          accept,
          authorization: `Bearer ${ownToken}`,
        },
        ...(body === '' ? {} : { body }),
      });
      const kept = [...answered.headers].filter(([name]) => name.startsWith('mcp-') || name === 'content-type');
      response.writeHead(answered.status, Object.fromEntries(kept));
      for await (const chunk of answered.body ?? []) response.write(chunk);
      response.end();
    };
    answer().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`,
    signIns: () => signIns,
    async close() {
      server.close();
      server.closeAllConnections();
      await mcp.close();
    },
  };
}
