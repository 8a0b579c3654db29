import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectMcp, type McpToolset } from '@kernel/mcp';
import { createSignIn, loopbackRedirect, memoryTokenStore, type TokenStore } from '@kernel/mcp/auth';
import { callTool, type ToolResult } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { launch } from 'puppeteer-core';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { chromiumLaunch, findChromium } from '../setup/chromium.ts';
import { signInWithBrowser } from './sign-in/person-with-browser.ts';
import { followForms } from './sign-in/person-without-browser.ts';
import { type SignInServers, startSignInServers } from './sign-in/servers.ts';

const chromium = findChromium();
const CLOSE = 'You have signed in. You can close this window.';

let servers: SignInServers;
beforeEach(async () => {
  // It warns of its defaults, each time.
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  servers = await startSignInServers();
  warn.mockRestore();
  return () => servers.close();
});

/** Connects through a sign-in; `pages` are the texts of the pages at which sign-ins have ended. */
async function connect(
  person: (url: URL) => Promise<string>,
  { store = memoryTokenStore(), port }: { store?: TokenStore; port?: number } = {},
) {
  const pages: string[] = [];
  const answered: Promise<void>[] = [];
  const onUrl = (url: URL): void => void answered.push(person(url).then((page) => void pages.push(page)));
  const grant = {
    type: 'authorization-code',
    redirect: loopbackRedirect({ onUrl, port }),
    clientName: 'kernel',
  } as const;
  const fetch = createSignIn({ serverUrl: servers.url, grant, store });
  const toolset = await connectMcp({ mcpServers: { guarded: { url: servers.url } } }, { fetch });
  onTestFinished(() => toolset.close());
  await Promise.all(answered);
  return { toolset, pages };
}

function hello(toolset: McpToolset): Promise<ToolResult> {
  const call = { type: 'tool-call', id: '1', name: 'mcp__guarded__hello', arguments: '{}' } as const;
  return callTool(toolset, call, { signal: AbortSignal.timeout(20_000) });
}

/** What holds of a sign-in, however the person did it. */
async function expectSignedIn(toolset: McpToolset): Promise<void> {
  expect((await hello(toolset)).forLLM).toBe('Hello!');
  expect(servers.registered).toMatchObject([
    { client_name: 'kernel', redirect_uris: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)] },
  ]);
  expect(servers.authorized).toMatchObject([
    { response_type: 'code', code_challenge_method: 'S256', resource: servers.url, scope: 'tools:call offline_access' },
  ]);
  expect([servers.granted, servers.audiences]).toEqual([['authorization_code'], [servers.url]]);
  // An access token that the server does not take any more is refreshed, and nobody is asked.
  servers.revokeAccessTokens();
  expect((await hello(toolset)).forLLM).toBe('Hello!');
  expect(servers.granted).toEqual(['authorization_code', 'refresh_token']);
  expect([servers.authorized.length, servers.audiences]).toEqual([1, [servers.url, servers.url]]);
}

test('a person signs in at oidc-provider by its forms: registered, with PKCE, for this server, and refreshed', async () => {
  verifies('mcp.auth.grants', 'mcp.auth.refresh');
  const { toolset, pages } = await connect(followForms);
  expect(pages).toEqual([expect.stringContaining(CLOSE)]);
  await expectSignedIn(toolset);
});

test('a sign-in at oidc-provider is used by the next connection, and its answer names the issuer', async () => {
  verifies('mcp.auth.grants', 'mcp.auth.hostile');
  const store = memoryTokenStore();
  const ends: URL[] = [];
  const first = await connect((url) => followForms(url, (end) => void ends.push(end)), { store });
  expect(ends.map(({ searchParams }) => searchParams.get('iss'))).toEqual([servers.issuer]);
  await first.toolset.close();
  const { toolset, pages } = await connect(followForms, { store });
  expect(pages).toEqual([]);
  await expectSignedIn(toolset);
});

test(
  'a person signs in at oidc-provider in a browser, which ends at the page that says that it can be closed',
  chromium.options,
  async () => {
    verifies('mcp.auth.grants', 'mcp.auth.redirect');
    const folder = mkdtempSync(join(tmpdir(), 'browser-'));
    const browser = await launch(chromiumLaunch(folder));
    onTestFinished(async () => {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const { toolset, pages } = await connect((url) => signInWithBrowser(browser, url));
    expect(pages).toEqual([`Signed in\n\n${CLOSE}`]);
    await expectSignedIn(toolset);
  },
);

test('a server that wants more scopes later gets a client that may have them, also where the redirect has the same port', async () => {
  verifies('mcp.auth.grants');
  const { toolset } = await connect(followForms, { port: await freePort() });
  servers.wantMore();
  expect((await hello(toolset)).forLLM).toBe('Hello!');
  expect(servers.authorized.map(({ scope }) => scope)).toEqual([
    'tools:call offline_access',
    'tools:call offline_access tools:change',
  ]);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
