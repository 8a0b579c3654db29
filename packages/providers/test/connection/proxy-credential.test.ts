import { textOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createProvider } from '../../src/index.ts';
import { endOf, errorOf, request } from '../support.ts';
import { startChat, startProxy } from './servers.ts';

const BASE_URL = 'http://api.example.test:1/v1';

test.each([
  ['a user name beside a password', 'TOKENUSER:correct-horse', ['TOKENUSER', 'correct-horse']],
  ['a user name alone', 'TOKENUSER', ['TOKENUSER']],
  ['an encoded user name', 'TOKEN%2FUSER:correct-horse', ['TOKEN%2FUSER', 'TOKEN/USER']],
])(
  'a proxy that echoes what it refuses gives away neither user name nor password: %s',
  async (_, userinfo, secrets) => {
    verifies('providers.proxy', 'architecture.redaction');
    const proxy = await startProxy({ credential: 'Basic other', refusal: `No access for ${secrets.join(' and ')}.` });
    const provider = createProvider({
      name: 'openai',
      baseUrl: BASE_URL,
      proxy: `http://${userinfo}@127.0.0.1:${proxy.port}`,
    });
    const error = await errorOf(provider.stream(request()));
    const shown = JSON.stringify([error.message, error.hint, error.data, String(error.cause)]);
    expect(shown).toContain('No access for [redacted]');
    for (const secret of secrets) expect(shown).not.toContain(secret);
  },
);

test('a percent sign that encodes nothing in the credential of a proxy is CONFIG_INVALID, without the credential', () => {
  verifies('providers.proxy');
  const create = (): unknown =>
    createProvider({ name: 'openai', baseUrl: BASE_URL, proxy: 'http://ada:100%zz@127.0.0.1:3128' });
  expect(create).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/^(?!.*(?:ada|100)).*the proxy http:\/\/127\.0\.0\.1:3128 /) as unknown,
      hint: expect.stringContaining('%25') as unknown,
    }),
  );
});

test('a wrong proxy of the environment is CONFIG_INVALID, and the provider works once it is right', async () => {
  verifies('providers.proxy');
  const [server, proxy] = [await startChat(), await startProxy()];
  for (const name of ['no_proxy', 'NO_PROXY', 'http_proxy']) vi.stubEnv(name, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const provider = createProvider({ name: 'openai', baseUrl: `http://api.example.test:${server.port}/v1` });
  vi.stubEnv('HTTP_PROXY', `http://ada:100%zz@127.0.0.1:${proxy.port}`);
  const error = await errorOf(provider.stream(request()));
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', retryable: false });
  expect(error.message).toContain(`the proxy http://127.0.0.1:${proxy.port} `);
  expect(error.message).not.toMatch(/ada|100%/);
  vi.stubEnv('HTTP_PROXY', `http://ada:100%25@127.0.0.1:${proxy.port}`);
  expect(textOf((await endOf(provider.stream(request()))).message)).toBe('Hello');
  expect(proxy.asked[0]?.credential).toBe(`Basic ${Buffer.from('ada:100%').toString('base64')}`);
});
