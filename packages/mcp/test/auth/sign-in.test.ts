import { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { afterEach, expect, test, vi } from 'vitest';
import {
  createSignIn,
  isSignedIn,
  loopbackRedirect,
  memoryTokenStore,
  type Redirect,
  signOut,
  type SignInGrant,
  type SignInOptions,
} from '../../src/auth/index.ts';
import { connectMcp } from '../../src/index.ts';
import { listen, startOAuthServers } from './oauth-servers.ts';
import { person } from './person.ts';

const POST = { method: 'POST', body: '{}' };
const machine: SignInGrant = { type: 'client-credentials', client: { id: 'machine', secret: 'machine-secret-1234' } };

afterEach(() => void vi.useRealTimers());

/** The error that a promise rejects with. */
async function errorOf(work: Promise<unknown>): Promise<KernelError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!KernelError.is(error)) throw new Error('it has not rejected with a KernelError', { cause: error });
  return error;
}

test('a person signs in once, and all requests to the server, also at the same time, have the token', async () => {
  verifies('mcp.auth.grants');
  const servers = await startOAuthServers();
  const fetch = createSignIn({ serverUrl: servers.url, grant: person });
  const all = await Promise.all([...Array(10).keys()].map((at) => fetch(`${servers.url}/${at}`, POST)));
  expect(all.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect((await fetch(servers.url, POST)).status).toBe(200);
  expect(servers.authorized).toHaveLength(1);
  expect(servers.authorized[0]?.get('resource')).toBe(servers.url);
  expect(servers.authorized[0]?.get('scope')).toBe('read');
});

test('the token goes to nobody else: not to another path of the host, another host, nor where a redirect leads', async () => {
  verifies('mcp.auth.origin');
  const servers = await startOAuthServers();
  const seen: (string | undefined)[] = [];
  const other = await listen((request, response) => {
    seen.push(request.headers.authorization, String(request.headers['dpop']));
    response.end();
  });
  const fetch = createSignIn({ serverUrl: servers.url, grant: person });
  await fetch(servers.url, POST);
  await fetch(new URL('/other', servers.url));
  expect(servers.calls.at(-1)).toBeUndefined();
  await fetch(new URL(servers.url.replace('/mcp', '/mcp-of-another')));
  expect(servers.calls.at(-1)).toBeUndefined();
  await fetch(other, POST);
  servers.onCall = (response) => void response.writeHead(307, { location: other }).end();
  expect((await fetch(servers.url, POST)).status).toBe(307);
  expect(seen).toEqual([undefined, 'undefined']);
});

test('one connection signs in at several servers by sign-ins that wrap each other, and says what to do if one fails', async () => {
  verifies('mcp.auth.grants', 'mcp.auth.origin');
  const [first, second] = [await startOAuthServers(), await startOAuthServers()];
  const inner = createSignIn({ serverUrl: first.url, grant: person });
  const fetch = createSignIn({ serverUrl: second.url, grant: person, fetch: inner });
  await Promise.all([fetch(first.url, POST), fetch(second.url, POST)]);
  expect([first.authorized, second.authorized].map(({ length }) => length)).toEqual([1, 1]);
  first.resource = 'https://bank.example.com';
  first.revoke(true);
  const error = await errorOf(connectMcp({ mcpServers: { first: { url: first.url } } }, { fetch }));
  expect(error.message).toMatch(
    /^MCP server "first" \(http:\S+\) could not be used: Signing in at \S+ failed: Protected resource .* Check the address/,
  );
});

test('tokens are refreshed a minute before they end, and a server has not refused one of them', async () => {
  verifies('mcp.auth.refresh');
  vi.useFakeTimers({ toFake: ['Date'] });
  const servers = await startOAuthServers();
  const fetch = createSignIn({ serverUrl: servers.url, grant: person });
  await fetch(servers.url, POST);
  vi.setSystemTime(Date.now() + 3_539_000);
  await fetch(servers.url, POST);
  expect(servers.tokenRequests).toHaveLength(1);
  vi.setSystemTime(Date.now() + 2000);
  await Promise.all([fetch(servers.url, POST), fetch(servers.url, POST)]);
  expect(servers.tokenRequests.map((body) => body.get('grant_type'))).toEqual(['authorization_code', 'refresh_token']);
  expect(servers.calls.filter((header) => header === undefined)).toHaveLength(1);
  expect(servers.authorized).toHaveLength(1);
});

test('a refresh that nobody needs yet and that fails costs nothing: the tokens are used until the server refuses them', async () => {
  verifies('mcp.auth.refresh');
  vi.useFakeTimers({ toFake: ['Date'] });
  const servers = await startOAuthServers();
  const fetch = createSignIn({ serverUrl: servers.url, grant: person });
  await fetch(servers.url, POST);
  servers.onToken = () => ({ status: 503, body: {} });
  vi.setSystemTime(Date.now() + 3_570_000);
  expect((await fetch(servers.url, POST)).status).toBe(200);
  expect((await fetch(servers.url, POST)).status).toBe(200);
  expect(servers.tokenRequests).toHaveLength(2);
  servers.revoke();
  const error = await errorOf(fetch(servers.url, POST));
  expect(error.code).toBe('TOOL_UNAVAILABLE');
  expect(servers.authorized).toHaveLength(1);
});

test('a refresh that is refused leads to a new sign-in', async () => {
  verifies('mcp.auth.refresh');
  const servers = await startOAuthServers();
  const fetch = createSignIn({ serverUrl: servers.url, grant: person });
  await fetch(servers.url, POST);
  servers.revoke(true);
  expect((await fetch(servers.url, POST)).status).toBe(200);
  expect(servers.tokenRequests.map((body) => body.get('grant_type'))).toEqual([
    'authorization_code',
    'refresh_token',
    'authorization_code',
  ]);
});

/** Ends at the same address each time. */
const fixedRedirect: Redirect = {
  open: () =>
    Promise.resolve({
      url: 'http://127.0.0.1:1234/callback',
      async ask(url) {
        const { headers } = await globalThis.fetch(url, { redirect: 'manual' });
        const { searchParams } = new URL(headers.get('location') ?? '');
        return { code: searchParams.get('code') ?? '', iss: searchParams.get('iss') ?? '' };
      },
      close: () => Promise.resolve(),
    }),
};

test('a client that its authorization server does not know any more is registered anew, also for the same redirect', async () => {
  verifies('mcp.auth.refresh');
  const servers = await startOAuthServers();
  const fetch = createSignIn({
    serverUrl: servers.url,
    grant: { type: 'authorization-code', redirect: fixedRedirect },
  });
  await fetch(servers.url, POST);
  servers.revoke(true);
  await fetch(servers.url, POST);
  expect(servers.clients.size).toBe(1);
  servers.revoke(true);
  servers.onToken = () => {
    servers.onToken = undefined;
    return { status: 401, body: { error: 'invalid_client' } };
  };
  expect((await fetch(servers.url, POST)).status).toBe(200);
  expect(servers.clients.size).toBe(2);
});

test('a client that is registered for fewer scopes than are asked for now is registered anew, and for the same ones it is not', async () => {
  verifies('mcp.auth.grants');
  const servers = await startOAuthServers();
  const grant = { type: 'authorization-code', redirect: fixedRedirect } as const;
  const fetch = createSignIn({ serverUrl: servers.url, grant });
  await fetch(servers.url, POST);
  servers.revoke(true);
  await fetch(servers.url, POST);
  expect(servers.clients.size).toBe(1);
  servers.scope = () => 'read write';
  expect((await fetch(servers.url, POST)).status).toBe(200);
  expect(servers.clients.size).toBe(2);
  expect(servers.authorized.at(-1)?.get('scope')).toBe('read write');
});

test('a stored sign-in is used by the next one, until it is signed out', async () => {
  verifies('mcp.auth.store');
  const servers = await startOAuthServers();
  const store = memoryTokenStore();
  const options = { serverUrl: servers.url, grant: person, store };
  expect(await isSignedIn(options)).toBe(false);
  await createSignIn(options)(servers.url, POST);
  expect(await isSignedIn(options)).toBe(true);
  expect((await createSignIn(options)(servers.url, POST)).status).toBe(200);
  expect(servers.authorized).toHaveLength(1);
  await signOut(options);
  await createSignIn(options)(servers.url, POST);
  expect(servers.authorized).toHaveLength(2);
});

test('who signs out takes the tokens back at the authorization server, the refresh token first, and nothing is left in the store', async () => {
  verifies('mcp.auth.revoke');
  const servers = await startOAuthServers();
  servers.revocation = 200;
  const store = memoryTokenStore();
  const options = { serverUrl: servers.url, grant: person, store };
  await createSignIn(options)(servers.url, POST);
  const saved = JSON.parse((await store.load(`${servers.url} authorization-code`)) ?? '') as {
    tokens: Record<string, string>;
  };
  expect(await signOut(options)).toBe(true);
  expect(servers.revocations.map(({ body }) => [body.get('token_type_hint'), body.get('token')])).toEqual([
    ['refresh_token', saved.tokens['refresh_token']],
    ['access_token', saved.tokens['access_token']],
  ]);
  const [[id, secret] = []] = servers.clients;
  expect(servers.revocations[0]?.authorization).toBe(`Basic ${btoa(`${id}:${secret}`)}`);
  expect(await store.load(`${servers.url} authorization-code`)).toBeUndefined();
  expect(await signOut(options)).toBe(false);
  expect(servers.revocations).toHaveLength(2);
});

test('signing out removes the tokens also where they cannot be taken back, and never sends them to another issuer', async () => {
  verifies('mcp.auth.revoke');
  const [servers, evil] = [await startOAuthServers(), await startOAuthServers()];
  const store = memoryTokenStore();
  const options = { serverUrl: servers.url, grant: person, store };
  const signInAndOut = async (prepare: () => void): Promise<boolean> => {
    await createSignIn(options)(servers.url, POST);
    prepare();
    const isRevoked = await signOut(options);
    expect(await store.load(`${servers.url} authorization-code`)).toBeUndefined();
    return isRevoked;
  };
  expect(await signInAndOut(() => undefined)).toBe(false);
  expect(await signInAndOut(() => (servers.revocation = 503))).toBe(false);
  evil.revocation = 200;
  expect(await signInAndOut(() => (servers.authorizationServer = evil.issuer))).toBe(false);
  expect(evil.revocations).toEqual([]);
});

test('an answer from another issuer is refused: nothing is sent to anyone, and nothing of it is shown', async () => {
  verifies('mcp.auth.hostile');
  const servers = await startOAuthServers();
  servers.iss = 'https://evil.example.com';
  const error = await errorOf(createSignIn({ serverUrl: servers.url, grant: person })(servers.url, POST));
  expect(error.message).toContain(`from another issuer; ${servers.issuer} was asked`);
  expect(textOf(error)).not.toContain('evil');
  expect(servers.tokenRequests).toEqual([]);
});

test('a server that names another resource, or an authorization server whose metadata lead elsewhere, is refused', async () => {
  verifies('mcp.auth.hostile');
  const servers = await startOAuthServers();
  servers.resource = 'https://bank.example.com/mcp';
  const fetch = createSignIn({ serverUrl: servers.url, grant: person });
  expect((await errorOf(fetch(servers.url, POST))).message).toContain('bank.example.com');

  servers.resource = servers.url;
  servers.authorizationServer = await listen(
    (_request, response) =>
      void response.writeHead(302, { location: `${servers.issuer}/.well-known/oauth-authorization-server` }).end(),
  );
  await errorOf(fetch(servers.url, POST));
  expect(servers.authorized).toEqual([]);
  expect(servers.tokenRequests).toEqual([]);
});

test('a client that was registered beforehand is only used with the first issuer, or the one that was named', async () => {
  verifies('mcp.auth.hostile');
  const servers = await startOAuthServers();
  const evil = await startOAuthServers();
  const store = memoryTokenStore();
  const fetch = createSignIn({ serverUrl: servers.url, grant: machine, store });
  expect((await fetch(servers.url, POST)).status).toBe(200);
  servers.authorizationServer = evil.issuer;
  servers.revoke();
  const error = await errorOf(fetch(servers.url, POST));
  expect(error.message).toContain(
    `names the issuer ${evil.issuer}, but the client is registered with ${servers.issuer}`,
  );
  expect(error.hint).toContain('signOut');

  const named = createSignIn({
    serverUrl: servers.url,
    grant: { type: 'client-credentials', client: { ...machine.client, id: 'machine', issuer: servers.issuer } },
  });
  await errorOf(named(servers.url, POST));
  expect(evil.tokenRequests).toEqual([]);
});

test('what an authorization server refuses to a machine is not tried again', async () => {
  verifies('mcp.auth.grants');
  const servers = await startOAuthServers();
  servers.onToken = () => ({ status: 400, body: { error: 'invalid_grant', error_description: 'no such machine' } });
  const error = await errorOf(createSignIn({ serverUrl: servers.url, grant: machine })(servers.url, POST));
  expect(error.message).toContain('no such machine');
  expect(servers.tokenRequests).toHaveLength(1);
});

test('a server that refuses for ever, or wants ever more, gets its answer back after a few sign-ins', async () => {
  verifies('mcp.auth.bounded');
  const servers = await startOAuthServers();
  const fetch = createSignIn({ serverUrl: servers.url, grant: person });
  servers.scope = () => `scope-${servers.calls.length}`;
  expect((await fetch(servers.url, POST)).status).toBe(403);
  expect(servers.authorized).toHaveLength(3);
  expect(servers.authorized.at(-1)?.get('scope')).toBe('scope-1 scope-2 scope-3');
  expect((await fetch(servers.url, POST)).status).toBe(403);
  expect(servers.authorized).toHaveLength(3);

  const same = await startOAuthServers();
  same.onCall = (response) =>
    void response.writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="read"' }).end();
  expect((await createSignIn({ serverUrl: same.url, grant: person })(same.url, POST)).status).toBe(403);
  expect(same.authorized).toHaveLength(1);

  const never = await startOAuthServers();
  never.onCall = (response) => void response.writeHead(401).end();
  expect((await createSignIn({ serverUrl: never.url, grant: person })(never.url, POST)).status).toBe(401);
  expect(never.authorized.length).toBeLessThanOrEqual(3);
});

test('more scopes are asked for together with those of before', async () => {
  verifies('mcp.auth.grants');
  const servers = await startOAuthServers();
  servers.scope = () => (servers.calls.length <= 2 ? 'read' : 'write');
  const fetch = createSignIn({ serverUrl: servers.url, grant: person, scope: 'own' });
  expect((await fetch(servers.url, POST)).status).toBe(200);
  expect((await fetch(servers.url, POST)).status).toBe(200);
  expect(servers.authorized.map((query) => query.get('scope'))).toEqual(['own read', 'own read write']);
});

test('no secret is in an error, even if the authorization server repeats all that it was sent', async () => {
  verifies('mcp.auth.secrets');
  const servers = await startOAuthServers();
  const secrets: string[] = [];
  servers.onToken = (body, { headers }) => {
    secrets.push(
      ...['code', 'code_verifier', 'refresh_token', 'client_secret', 'assertion'].flatMap(
        (name) => body.get(name) ?? [],
      ),
    );
    const header = headers.authorization?.replace('Basic ', '');
    if (header !== undefined) secrets.push(header);
    return {
      status: 400,
      body: {
        error: 'invalid_request',
        error_description: `${String(body)} ${header} ${[...servers.clients.values()].join(' ')}`,
      },
    };
  };
  const idToken = 'id-token-of-a-person';
  const grants: SignInGrant[] = [
    person,
    machine,
    { type: 'workload-identity', client: { id: 'w' }, assertion: () => 'assertion-of-the-platform' },
    {
      type: 'enterprise-managed',
      client: { id: 'e', secret: 'enterprise-secret' },
      identityProvider: { tokenEndpoint: `${servers.issuer}/token`, clientId: 'i', idToken: () => idToken },
    },
  ];
  for (const grant of grants) {
    servers.clients.clear();
    const error = await errorOf(createSignIn({ serverUrl: servers.url, grant })(servers.url, POST));
    const text = textOf(error);
    expect(text).toContain('[redacted]');
    for (const secret of [...secrets, ...servers.clients.values(), idToken, 'machine-secret-1234', 'enterprise-secret'])
      expect(text).not.toContain(secret);
  }
  expect(secrets.length).toBeGreaterThan(4);
});

test('whoever waits can leave; the last one who does ends the sign-in, and nothing listens any more', async () => {
  verifies('mcp.auth.abort');
  const servers = await startOAuthServers();
  let asked: URL | undefined;
  const redirect = loopbackRedirect({ onUrl: (url) => void (asked = url) });
  const fetch = createSignIn({ serverUrl: servers.url, grant: { type: 'authorization-code', redirect } });
  const [first, last] = [new AbortController(), new AbortController()];
  const one = fetch(servers.url, { ...POST, signal: first.signal });
  const two = fetch(servers.url, { ...POST, signal: last.signal });
  await vi.waitUntil(() => asked !== undefined && servers.calls.length === 2, 60_000);
  first.abort(new Error('gone'));
  await expect(one).rejects.toThrow('gone');
  const back = asked?.searchParams.get('redirect_uri') ?? '';
  expect((await globalThis.fetch(back)).status).toBe(400);
  last.abort(new Error('gone too'));
  await expect(two).rejects.toThrow('gone too');
  await vi.waitUntil(
    () =>
      globalThis.fetch(back).then(
        () => false,
        () => true,
      ),
    60_000,
  );
});

test.each([
  [{ grant: { type: 'password' } }, 'grant.type is not one that is known'],
  [{ grant: undefined }, 'grant.type is not one that is known'],
  [{ serverUrl: 'mcp' }, 'serverUrl is not an address'],
  [{ serverUrl: 'http://mcp.example.com' }, 'is not https'],
  [{ scopes: 'all' }, 'scopes'],
  [{ grant: { ...person, clientId: 'x' } }, 'clientId'],
])('options that cannot be meant (%j) are refused with what to pass', (changes, message) => {
  verifies('mcp.auth.options');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a caller without types may pass
  const options = { serverUrl: 'https://mcp.example.com', grant: person, ...changes } as SignInOptions;
  expect(() => createSignIn(options)).toThrow(message);
});

/** All that could be logged of an error. */
function textOf(error: KernelError): string {
  const texts: unknown[] = [JSON.stringify(error)];
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) texts.push(cause.message, cause.stack);
  return texts.join('\n');
}
