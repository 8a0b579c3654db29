import { createRedactor } from '@kernel/internal';
import { verifies } from '@kernel/testing';
import * as sdk from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { createAuthFetch } from '../../src/auth/flow/auth-fetch.ts';
import { createDpopKey, openDpopSession, refreshTime } from '../../src/auth/flow/saved-sign-in.ts';

test('a server of elsewhere cannot have this machine, or an address without https, asked', async () => {
  verifies('mcp.auth.hostile');
  const asked: string[] = [];
  const inner = (url: string | URL): Promise<Response> => {
    asked.push(String(url));
    return Promise.resolve(new Response('{}'));
  };
  const { signal } = new AbortController();
  const far = createAuthFetch(inner, new URL('https://mcp.example.com/mcp'), signal, createRedactor());
  for (const url of [
    'http://127.0.0.1:8080/',
    'https://localhost/',
    'http://169.254.169.254/latest',
    'http://auth.example.com/',
    'file:///etc/passwd',
  ])
    await expect(far(url)).rejects.toMatchObject({ code: 'TOOL_UNAVAILABLE' });
  expect(asked).toEqual([]);
  await far('https://auth.example.com/');
  const near = createAuthFetch(inner, new URL('http://127.0.0.1:3000/mcp'), signal, createRedactor());
  await near('http://localhost:4000/');
  expect(asked).toEqual(['https://auth.example.com/', 'http://localhost:4000/']);
});

test('an answer of an authorization server is at most 1 MiB', async () => {
  verifies('mcp.auth.bounded');
  const big = () => Promise.resolve(new Response('x'.repeat(2 * 1024 * 1024)));
  const { signal } = new AbortController();
  const fetch = createAuthFetch(big, new URL('https://a.example.com'), signal, createRedactor());
  await expect(fetch('https://b.example.com')).rejects.toThrow('more than 1048576 bytes');
});

test('a saved key for proofs is the same key again, as the SDK counts', async () => {
  verifies('mcp.auth.store');
  const key = await createDpopKey();
  const [first, again] = [
    await openDpopSession(sdk, key),
    await openDpopSession(sdk, JSON.parse(JSON.stringify(key)) as typeof key),
  ];
  expect(again.thumbprint).toBe(first.thumbprint);
  const { privateKey, thumbprint } = await sdk.generateDpopKeyPair({ extractable: true });
  expect((await openDpopSession(sdk, await crypto.subtle.exportKey('jwk', privateKey))).thumbprint).toBe(thumbprint);
  expect((await again.buildProof({ htm: 'POST', htu: 'https://a.example.com' })).split('.')).toHaveLength(3);
});

test.each([
  [3600, 3_540_000],
  [60, 45_000],
  [10, 10_000],
  [5, 5000],
  [0, undefined],
  [Number.NaN, undefined],
])('tokens that live %d s are refreshed after %s ms', (seconds, expected) => {
  verifies('mcp.auth.refresh');
  expect(refreshTime({ access_token: 'a', token_type: 'Bearer', expires_in: seconds }, 0)).toBe(expected);
});
