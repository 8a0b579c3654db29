import { inspect } from 'node:util';
import { verifies } from '@kernel/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { azureToken, createProvider, fromEnvironment, withFallback, withRetry } from '../../src/index.ts';
import { createSanitizer } from '../../src/cassette/sanitizer.ts';
import { azureTokenFrom } from '../../src/config/azure-token.ts';
import { chunk, endOf, errorOf, request, sse, withServer } from '../support.ts';

const OK = { chunks: [sse(chunk({ content: 'ok' }), chunk({}, 'stop'))] };
const KEY = 'secret-from-somewhere-42';

afterEach(() => vi.unstubAllEnvs());

test('fromEnvironment reads the variable when a request needs it, not before', async () => {
  verifies('providers.auth', 'architecture.pure');
  const token = fromEnvironment('KERNEL_TEST_KEY');
  await withServer(
    [OK],
    async ({ provider, server }) => {
      vi.stubEnv('KERNEL_TEST_KEY', ` ${KEY}\n`);
      await endOf(provider.stream(request()));
      expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${KEY}`);
    },
    { token },
  );
});

test('an environment variable that is not set throws CONFIG_INVALID with its name, and nothing is sent', async () => {
  verifies('providers.auth');
  vi.stubEnv('KERNEL_TEST_KEY', '');
  await withServer(
    [OK],
    async ({ provider, server }) => {
      expect(await errorOf(provider.stream(request()))).toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('KERNEL_TEST_KEY') as unknown,
      });
      expect(server.requests).toHaveLength(0);
    },
    { token: fromEnvironment('KERNEL_TEST_KEY') },
  );
});

test('many requests at once share one fetch of the token, and one more after a 401', async () => {
  verifies('providers.auth');
  let fetches = 0;
  const token = async () => {
    fetches += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return `${KEY}-${fetches}`;
  };
  const replies = ({ headers }: { headers: Record<string, string | string[] | undefined> }) =>
    headers['authorization'] === `Bearer ${KEY}-1` ? { status: 401, chunks: [] } : OK;
  await withServer(
    { replies },
    async ({ provider }) => {
      await Promise.all(Array.from({ length: 8 }, () => endOf(provider.stream(request()))));
      expect(fetches).toBe(2);
    },
    { token },
  );
});

test('no policy leaks a key that a server echoes: not in messages, data, causes or what inspect shows', async () => {
  verifies('providers.auth.secret');
  const body = JSON.stringify({ error: { message: `Incorrect key: ${KEY}`, code: KEY } });
  const echo = { status: 401, headers: { 'x-request-id': KEY }, chunks: [body] };
  await withServer(
    { replies: () => echo },
    async ({ provider }) => {
      const error = await errorOf(withRetry(withFallback([provider, provider])).stream(request()));
      expect(error).toMatchObject({ data: { attempts: [{ reason: 'auth' }, { reason: 'auth' }] } });
      expect(JSON.stringify(error)).not.toContain(KEY);
      expect(inspect(error, { depth: Infinity })).not.toContain(KEY);
    },
    { token: KEY },
  );
});

test('azureToken without its package throws CONFIG_INVALID with a hint that names it', async () => {
  verifies('providers.auth');
  const missing = azureTokenFrom({}, () => Promise.reject(new Error('ERR_MODULE_NOT_FOUND')));
  await expect(missing()).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    hint: expect.stringContaining('npm install @azure/identity') as unknown,
  });
  const azure = createProvider({
    name: 'azure',
    baseUrl: 'http://127.0.0.1:9',
    deployment: 'd',
    apiVersion: '2024-10-21',
    authType: 'managed_identity',
    token: missing,
  });
  expect(await errorOf(azure.stream(request()))).toMatchObject({
    hint: expect.stringContaining('@azure/identity') as unknown,
  });
});

test('azureToken asks the configured credential, created once, for the scope of Azure OpenAI', async () => {
  const made: unknown[] = [];
  const identity = Object.fromEntries(
    ['DefaultAzureCredential', 'ManagedIdentityCredential'].map((kind) => [
      kind,
      class {
        constructor(options: object) {
          made.push([kind, options]);
        }
        getToken(scope: string) {
          return Promise.resolve({ token: `for ${scope}` });
        }
      },
    ]),
  );
  const load = () => Promise.resolve(identity);
  const token = azureTokenFrom({ identity: 'managed_identity', clientId: 'c' }, load);
  expect(await token()).toBe('for https://cognitiveservices.azure.com/.default');
  await token();
  await azureTokenFrom({ clientId: 'c', tenantId: 't', scope: 's' }, load)();
  expect(made).toEqual([
    ['ManagedIdentityCredential', { clientId: 'c' }],
    ['DefaultAzureCredential', { tenantId: 't', managedIdentityClientId: 'c' }],
  ]);
});

test('azureToken accepts a credential of the caller, and says clearly when it returns no token', async () => {
  const credential = { getToken: () => Promise.resolve({ token: KEY }) };
  const replies = [OK];
  await withServer(
    replies,
    async ({ provider, server }) => {
      await endOf(provider.stream(request()));
      expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${KEY}`);
    },
    {
      name: 'azure',
      deployment: 'd',
      apiVersion: '2024-10-21',
      authType: 'managed_identity',
      token: azureToken({ credential }),
    },
  );
  await expect(azureToken({ credential: { getToken: () => Promise.resolve(null) } })()).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  });
  const failing = { getToken: () => Promise.reject(new Error('no identity')) };
  await expect(azureToken({ credential: failing })()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

test('a cassette holds no part of a key that is longer than 8 characters, and no key of a vendor', () => {
  verifies('secrets.vendorKeys', 'secrets.spellings');
  const key = 'Qx7-fT9pLz2vRk8wHn4cYd6mJb1s';
  const sanitizer = createSanitizer([key]);
  const escaped = Array.from(key, (char) => `\\u00${char.charCodeAt(0).toString(16)}`).join('');
  expect(sanitizer.text(`cut ${key.slice(3, 20)} … ${escaped}`)).toBe('cut [redacted] … [redacted]');
  expect(sanitizer.value({ xai: `xai-${'a1B2'.repeat(20)}`, groq: [`gsk_${'a1B2'.repeat(13)}`] })).toEqual({
    xai: '[redacted]',
    groq: ['[redacted]'],
  });
  const pem = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEF'.repeat(20)}\n-----END PRIVATE KEY-----`;
  expect(sanitizer.text(`a ${pem} b`)).toBe('a [redacted] b');
  expect(sanitizer.text(`eyJhbGciOiJIUzI1NiJ9.${'eyJzdWIiOiIxMjM0In0'.repeat(2)}.c2lnbmF0dXJl`)).toBe('[redacted]');
});

test('a recording has no credential in the query of an address', () => {
  verifies('providers.serverTools.secrets');
  const { value } = createSanitizer([]);
  const url = 'https://a.test/mcp?api_key=abc123&v=2&Signature=x%2Fy&token=t0ken#top';
  expect(value({ tools: [{ server_url: url }] })).toEqual({
    tools: [{ server_url: 'https://a.test/mcp?api_key=[redacted]&v=2&Signature=[redacted]&token=[redacted]#top' }],
  });
});
